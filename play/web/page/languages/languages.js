// The languages of the page, by their own names. A draft has not been checked by a speaker yet; a whole language lacks
// no text (tests/languages.test.js).

export const languages = [
  { code: "en", name: "English", draft: false },
  { code: "zu", name: "isiZulu", draft: true },
  { code: "st", name: "Sesotho", draft: true },
  { code: "ss", name: "siSwati", draft: true },
  { code: "af", name: "Afrikaans", draft: true, whole: true },
  { code: "pt", name: "Português", draft: true, whole: true },
];

/** Keys whose text may be the same in all languages: signs, names, mere combinations of arguments. */
export const SAME = new RegExp("^(" + [
  "card\\.sign", "card\\.name\\.[2-9T]$", "rank\\.([2-9]|10)$", "list\\.", "name\\.(numbered|agent)", "the\\.sum",
  "turn\\.(of|steps)", "title\\.parts", "sheet\\.(side|score)", "hint\\.row", "game\\.(khasino|kasa|triple-s|cassino|mini|other)$",
  "kind\\.city", "agent\\.other", "switch\\.(n|text|other|pair|deck\\.52|ace_high\\.false)$", "(refused|error)\\.other",
  "page\\.(title|share|new\\.level\\.of)$"].join("|") + ")");
