// The languages of the page, by the names that their speakers have for them. A draft has not been read by a speaker
// yet.

export const languages = [
  { code: "en", name: "English", draft: false },
  { code: "zu", name: "isiZulu", draft: true },
  { code: "st", name: "Sesotho", draft: true },
  { code: "ss", name: "siSwati", draft: true },
  { code: "af", name: "Afrikaans", draft: true },
  { code: "pt", name: "Português", draft: true },
];
