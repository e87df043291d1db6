// isiZulu: a draft that a speaker has to read (docs/languages.md). What is not here is said in English.

export const words = {
  locale: "zu",

  "name.you": "Wena", "name.partner": "Umlingani", "name.player": "Umdlali {number}",
  "held.card": "ikhadi {card}",
  "do.end": "qeda ithuba", "turn.end": "{who, select, do {qeda ithuba} you {uqeda ithuba} other {uqeda ithuba}}",
  "do.discard": "{who, select, do {beka} you {ubeka} other {ubeka}} phansi ikhadi {card}",
  "do.take": "{who, select, do {thatha} you {uthatha} other {uthatha}} {what, list} nge-{card}",
  "do.build.hand": "{who, select, do {yakha} you {wakha} other {wakha}} u-{value} nge-{card}",
  "do.build.on": "{who, select, do {yakha} you {wakha} other {wakha}} u-{value} nge-{card} phezu kwe-{cards, list, plus}",
  "do.build.table": "{who, select, do {yakha} you {wakha} other {wakha}} u-{value} nge-{sets, list} etafuleni",
  "do.build.sets": "{who, select, do {yakha} you {wakha} other {wakha}} u-{value} nge-{sets, list}",
  "now.over": "Umdlalo uphelile.", "now.thinking": "{who} uyacabanga …", "now.choose": "Ithuba lakho: khetha ikhadi.",
  "now.first": "Ithuba lakho: khetha ikhadi esandleni sakho.", "now.played": "Ikhadi lakho selidlaliwe.",
  "sheet.cards": "Amakhadi amaningi", "sheet.aces": "Ama-ace", "sheet.tie": "Niyalingana", "sheet.you": "Uwinile",
  "level.0": "Kulula", "level.1": "Phakathi", "level.2": "Kunzima", "level.3": "Kunzima kakhulu",

  "page.close": "Vala", "page.cancel": "Khansela", "page.done": "Kulungile", "page.stop": "Misa", "page.again": "Zama futhi", "page.you": "Wena",
  "page.settings": "Izilungiselelo", "page.table": "Okusetafuleni", "page.hand": "Isandla sakho", "page.stock": "kusele {n}",
  "page.cards": "{n, plural, one {ikhadi elingu-#} other {amakhadi angu-#}}", "page.points": "{n, plural, one {iphoyinti elingu-#} other {amaphoyinti angu-#}}",
  "page.moves": "Okwenziwe", "page.look.back": "Buka emuva", "page.more": "Okuningi", "page.thinking": "Iyacabanga …", "page.undo": "Buyisa", "page.hint": "Usizo",
  "page.new": "Umdlalo omusha", "page.new.title": "Umdlalo omusha", "page.new.game": "Umdlalo", "page.new.players": "Abadlali", "page.new.level": "Izinga",
  "page.new.company": "Nobani", "page.new.company.agents": "ikhompyutha", "page.new.company.person": "abantu abalapha", "page.new.company.friend": "umngane, ngelinki",
  "page.new.deal": "Hlukanisa", "page.rules": "Imithetho", "page.rules.of": "Imithetho ye-{game}", "page.games": "Imidlalo",
  "page.after.result": "Umphumela", "page.after.again": "Futhi", "page.statistics": "Izibalo",
  "page.lesson": "Isifundo", "page.lesson.start": "Qala lapha: isifundo sokuqala", "page.lesson.first": "Isifundo sokuqala", "page.lesson.begin": "Qala",
  "page.puzzles": "Amaphazili", "page.puzzle.day": "Iphazili yosuku", "page.deal.day": "Umdlalo wosuku",
  "page.home.title": "Thatha amakhadi ngamakhadi", "page.home.play": "Dlala i-{game}", "page.home.tour": "Kwenziwa kanjani, ngezithombe",
  "page.home.going": "Qhubeka nge-", "page.home.yours": "Imidlalo yakho", "page.worth.luck": "Inhlanhla", "page.worth.play": "Ukudlala",
  "page.set.language": "Ulimi", "page.set.theme": "Imibala", "page.set.sound": "imisindo",
};
