// Afrikaans: a draft that a speaker has to read (docs/languages.md). What is not here is said in English.

export const words = {
  locale: "af",

  // --- cards, seats ---
  "card.name": "{suit} {rank}", "card.name.A": "aas", "card.name.J": "boer", "card.name.Q": "vrou", "card.name.K": "heer",
  "card.name.S": "skoppens", "card.name.H": "harte", "card.name.D": "diamante", "card.name.C": "klawers",
  "rank.1": "aas", "rank.11": "boer", "rank.12": "vrou", "rank.13": "heer", "rank.14": "aas",
  "name.you": "Jy", "name.partner": "Maat", "name.player": "Speler {number}",
  "of.card": "{owner, select, you {jou} self {hul eie} other {{owner} se}} {card}",
  "of.pile": "{owner, select, you {jou hele stapel} self {hul hele stapel} other {{owner} se hele stapel}}",
  "of.build": "{owner, select, you {jou} self {hul eie} other {{owner} se}} bou van {value}",
  "of.nobody.build": "die bou van {value}",
  "held.card": "die {card}",

  // --- what is done ---
  "turn.end": "{who, select, do {eindig die beurt} you {eindig die beurt} other {eindig die beurt}}",
  "do.end": "eindig die beurt", "do.stop": "neem niks meer nie",
  "do.discard": "{who, select, do {lê die {card} neer} you {lê die {card} neer} other {lê die {card} neer}}",
  "do.take": "{who, select, do {neem} you {neem} other {neem}} {what, list} met die {card}",
  "do.take.high": "{who, select, do {neem} you {neem} other {neem}} {what, list} met die {card} as 14",
  "do.build.hand": "{who, select, do {bou} you {bou} other {bou}} {value} met die {card}",
  "do.build.on": "{who, select, do {bou} you {bou} other {bou}} {value} met die {card} op {cards, list, plus}",
  "do.build.table": "{who, select, do {bou} you {bou} other {bou}} {value} met {sets, list} van die tafel",
  "do.build.sets": "{who, select, do {bou} you {bou} other {bou}} {value} met {sets, list}",
  "do.add": "{who, select, do {voeg} you {voeg} other {voeg}} {sets, list} by {build}",
  "do.raise": "{who, select, do {verhoog} you {verhoog} other {verhoog}} {build} na {value} met {cards, list}",
  "do.let.pass": "{who, select, do {laat dit} you {laat dit} other {laat dit}} verbygaan",

  // --- what to do now ---
  "now.over": "Die spel is verby.", "now.thinking": "{who} dink …", "now.choose": "Jou beurt: kies ’n kaart.",
  "now.first": "Jou beurt: kies ’n kaart uit jou hand, en wat dit kan doen, word hier aangebied.",
  "now.become": "Kies wat dit word, of nog kaarte.", "now.played": "Jou kaart is gespeel.",
  "now.add": "Jou kaart is gespeel. Kaarte van die tafel kan nog saamgevoeg word; of eindig jou beurt.",
  "now.table": "Kies kaarte van die tafel, of die kaart uit jou hand.",

  // --- results ---
  "sheet.cards": "Meeste kaarte", "sheet.spades": "Meeste skoppens", "sheet.big ten": "Groot tien ({card})", "sheet.little two": "Klein twee ({card})",
  "sheet.aces": "Ase", "sheet.sweeps": "Skoonvee", "sheet.count.cards": "Kaarte geneem", "sheet.count.spades": "Skoppens geneem",
  "sheet.tie": "Gelykop", "sheet.you": "Jy wen", "sheet.you.with": "Jy wen saam met {others, list}",
  "sheet.won": "{n, plural, one {{winners, list} wen} other {{winners, list} wen}}",
  "level.below": "Beginner", "level.0": "Maklik", "level.1": "Medium", "level.2": "Sterk", "level.3": "Sterkste",

  // --- the page ---
  "page.close": "Maak toe", "page.cancel": "Kanselleer", "page.done": "Klaar", "page.stop": "Stop", "page.again": "Probeer weer", "page.you": "Jy",
  "page.settings": "Instellings", "page.table": "Wat op die tafel lê", "page.hand": "Jou hand", "page.stock": "{n} oor",
  "page.cards": "{n, plural, one {# kaart} other {# kaarte}}", "page.points": "{n, plural, one {# punt} other {# punte}}",
  "page.note": "laaste geneem", "page.moves": "Skuiwe", "page.look.back": "Kyk terug", "page.more": "Meer", "page.thinking": "Dink …",
  "page.undo": "Neem terug", "page.hint": "Wenk", "page.why.discard": "Hoekom nie neerlê nie?", "page.why.end": "Hoekom nie eindig nie?",
  "page.new": "Nuwe spel", "page.new.title": "Nuwe spel", "page.new.game": "Spel", "page.new.players": "Spelers", "page.new.level": "Vlak",
  "page.new.company": "Met", "page.new.company.agents": "die rekenaar", "page.new.company.person": "mense hier", "page.new.company.friend": "’n vriend, per skakel",
  "page.new.more": "Plekke, huisreëls, meer", "page.new.deal": "Deel uit", "page.rules": "Reëls", "page.rules.of": "Reëls van {game}", "page.games": "Spele",
  "page.result.points": "Punte van die ronde", "page.result.next": "Volgende ronde", "page.after.result": "Uitslag", "page.after.review": "Ontleding",
  "page.after.replay": "Speel terug", "page.after.again": "Weer so", "page.statistics": "Statistiek",
  "page.lesson": "Les", "page.lesson.start": "Begin hier: ’n eerste les", "page.lesson.first": "Eerste les", "page.lesson.begin": "Deel uit",
  "page.puzzles": "Raaisels", "page.puzzle.day": "Raaisel van die dag", "page.deal.day": "Kaarte van die dag",
  "page.home.title": "Neem kaarte met kaarte", "page.home.play": "Speel {game}", "page.home.tour": "Hoe dit werk, in prente",
  "page.home.going": "Gaan aan met", "page.home.yours": "Jou spele",
  "page.worth.luck": "Geluk", "page.worth.play": "Spel",
  "page.set.language": "Taal", "page.set.theme": "Kleure", "page.set.sound": "klanke",
};
