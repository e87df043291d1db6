// Sesotho: a draft that a speaker has to read (docs/languages.md). What is not here is said in English.

export const words = {
  locale: "st",

  "list.last": " le ",
  "name.you": "Wena", "name.partner": "Molekane", "name.player": "Sebapadi {number}",
  "held.card": "karete {card}",
  "do.end": "qeta", "turn.end": "{who, select, do {qeta} you {o qeta} other {o qeta}}",
  "do.discard": "{who, select, do {bea} you {o bea} other {o bea}} karete {card} tafoleng",
  "do.take": "{who, select, do {nka} you {o nka} other {o nka}} {what, list} ka {card}",
  "do.build.hand": "{who, select, do {aha} you {o aha} other {o aha}} {value} ka {card}",
  "do.build.on": "{who, select, do {aha} you {o aha} other {o aha}} {value} ka {card} hodima {cards, list, plus}",
  "do.build.table": "{who, select, do {aha} you {o aha} other {o aha}} {value} ka {sets, list} tafoleng",
  "do.build.sets": "{who, select, do {aha} you {o aha} other {o aha}} {value} ka {sets, list}",
  "now.over": "Papadi e fedile.", "now.thinking": "{who} o a nahana …", "now.choose": "Ke nako ya hao: kgetha karete.",
  "now.first": "Ke nako ya hao: kgetha karete letsohong la hao.", "now.played": "Karete ya hao e se e bapadilwe.",
  "sheet.cards": "Dikarete tse ngata", "sheet.tie": "Le a lekana", "sheet.you": "O hlotse",
  "level.0": "Bobebe", "level.1": "Mahareng", "level.2": "Matla", "level.3": "Matla ka ho fetisisa",

  "page.close": "Kwala", "page.cancel": "Hlakola", "page.done": "Ho lokile", "page.stop": "Emisa", "page.again": "Leka hape", "page.you": "Wena",
  "page.settings": "Ditlhophiso", "page.table": "Tse tafoleng", "page.hand": "Letsoho la hao", "page.stock": "ho setse {n}",
  "page.cards": "{n, plural, one {karete e #} other {dikarete tse #}}", "page.points": "{n, plural, one {ntlha e #} other {dintlha tse #}}",
  "page.moves": "Tse entsweng", "page.look.back": "Sheba morao", "page.more": "Tse ding", "page.thinking": "E a nahana …", "page.undo": "Kgutlisa", "page.hint": "Thuso",
  "page.new": "Papadi e ntjha", "page.new.title": "Papadi e ntjha", "page.new.game": "Papadi", "page.new.players": "Dibapadi", "page.new.level": "Boemo",
  "page.new.company": "Le mang", "page.new.company.agents": "khomphutha", "page.new.company.person": "batho ba mona", "page.new.company.friend": "motswalle, ka linki",
  "page.new.deal": "Aba", "page.rules": "Melao", "page.rules.of": "Melao ya {game}", "page.games": "Dipapadi",
  "page.after.result": "Sephetho", "page.after.again": "Hape", "page.statistics": "Dipalopalo",
  "page.lesson": "Thuto", "page.lesson.start": "Qala mona: thuto ya pele", "page.lesson.first": "Thuto ya pele", "page.lesson.begin": "Qala",
  "page.puzzles": "Dipotso", "page.puzzle.day": "Potso ya letsatsi", "page.deal.day": "Papadi ya letsatsi",
  "page.home.title": "Nka dikarete ka dikarete", "page.home.play": "Bapala {game}", "page.home.tour": "E bapalwa jwang, ka ditshwantsho",
  "page.home.going": "Tswela pele ka", "page.home.yours": "Dipapadi tsa hao", "page.worth.luck": "Lehlohonolo", "page.worth.play": "Ho bapala",
  "page.set.language": "Puo", "page.set.theme": "Mebala", "page.set.sound": "medumo",
};
