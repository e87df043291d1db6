// siSwati: a draft that a speaker has to read (docs/languages.md). What is not here is said in English.

export const words = {
  locale: "ss",

  "list.last": " na-",
  "name.you": "Wena", "name.partner": "Umlingani", "name.player": "Umdlali {number}",
  "held.card": "likhadi {card}",
  "do.end": "cedza litfuba", "turn.end": "{who, select, do {cedza litfuba} you {ucedza litfuba} other {ucedza litfuba}}",
  "do.discard": "{who, select, do {beka} you {ubeka} other {ubeka}} phasi likhadi {card}",
  "do.take": "{who, select, do {tsatsa} you {utsatsa} other {utsatsa}} {what, list} nge-{card}",
  "do.build.hand": "{who, select, do {yakha} you {wakha} other {wakha}} {value} nge-{card}",
  "do.build.on": "{who, select, do {yakha} you {wakha} other {wakha}} {value} nge-{card} etikwe-{cards, list, plus}",
  "do.build.table": "{who, select, do {yakha} you {wakha} other {wakha}} {value} nge-{sets, list} etafuleni",
  "do.build.sets": "{who, select, do {yakha} you {wakha} other {wakha}} {value} nge-{sets, list}",
  "now.over": "Umdlalo uphelile.", "now.thinking": "{who} uyacabanga …", "now.choose": "Litfuba lakho: khetsa likhadi.",
  "now.first": "Litfuba lakho: khetsa likhadi esandleni sakho.", "now.played": "Likhadi lakho selidlaliwe.",
  "sheet.cards": "Emakhadi lamanyenti", "sheet.tie": "Niyalingana", "sheet.you": "Uwinile",
  "level.0": "Kulula", "level.1": "Emkhatsini", "level.2": "Kulukhuni", "level.3": "Kulukhuni kakhulu",

  "page.close": "Vala", "page.cancel": "Khansela", "page.done": "Kulungile", "page.stop": "Misa", "page.again": "Zama futsi", "page.you": "Wena",
  "page.settings": "Tilungiselelo", "page.table": "Lokusetafuleni", "page.hand": "Sandla sakho", "page.stock": "kusele {n}",
  "page.cards": "{n, plural, one {likhadi leli-#} other {emakhadi langu-#}}", "page.points": "{n, plural, one {liphuzu leli-#} other {emaphuzu langu-#}}",
  "page.moves": "Lokwentiwe", "page.look.back": "Buka emuva", "page.more": "Lokunyenti", "page.thinking": "Iyacabanga …", "page.undo": "Buyisela", "page.hint": "Lusito",
  "page.new": "Umdlalo lomusha", "page.new.title": "Umdlalo lomusha", "page.new.game": "Umdlalo", "page.new.players": "Badlali", "page.new.level": "Lizinga",
  "page.new.company": "Nabani", "page.new.company.agents": "ikhompyutha", "page.new.company.person": "bantfu labalapha", "page.new.company.friend": "umngani, ngelinki",
  "page.new.deal": "Yaba", "page.rules": "Imitsetfo", "page.rules.of": "Imitsetfo ye-{game}", "page.games": "Imidlalo",
  "page.after.result": "Umphumela", "page.after.again": "Futsi", "page.statistics": "Tibalo",
  "page.lesson": "Sifundvo", "page.lesson.start": "Cala lapha: sifundvo sekucala", "page.lesson.first": "Sifundvo sekucala", "page.lesson.begin": "Cala",
  "page.puzzles": "Emaphazili", "page.puzzle.day": "Liphazili lelilanga", "page.deal.day": "Umdlalo welilanga",
  "page.home.title": "Tsatsa emakhadi ngemakhadi", "page.home.play": "Dlala i-{game}", "page.home.tour": "Kwentiwa njani, ngetitfombe",
  "page.home.going": "Chubeka nge-", "page.home.yours": "Imidlalo yakho", "page.worth.luck": "Inhlanhla", "page.worth.play": "Kudlala",
  "page.set.language": "Lulwimi", "page.set.theme": "Imibala", "page.set.sound": "imisindvo",
};
