// What the page itself says, in English; what happens at a table is said by the package (casino/src/words/en.js).

export const page = {
  "page.title": "Casino", "page.title.mine": "Your turn - Casino",
  "page.close": "Close", "page.cancel": "Cancel", "page.done": "Done", "page.stop": "Stop", "page.again": "Try again", "page.you": "You", "page.settings": "Settings",
  "page.match": "match {score}",
  "page.failed": "The table could not be laid: {why}",

  // --- the table ---
  "page.table": "What lies on the table", "page.hand": "Your hand", "page.stock": "{n} left", "page.stock.told": "{n, plural, one {# card} other {# cards}} to be dealt",
  "page.cards": "{n, plural, one {# card} other {# cards}}", "page.points": "{n, plural, one {# point} other {# points}}",
  "page.with": "with {you, select, true {you} other {{name}}}", "page.with.one.pile": "with {you, select, true {you} other {{name}}}, one pile",
  "page.build.told": "build of {value} of {name}: {sets}",
  "page.note": "captured last",
  "page.pile.shared": "shares {you, select, true {your pile} other {the pile of {name}}}",
  "page.pile.top": "{card}, top of {you, select, true {your pile} other {the pile of {name}}}",
  "page.pile.count": "{n, plural, one {# card} other {# cards}} captured",
  "page.pile.look": "{n, plural, one {# card} other {# cards}} captured: look through {you, select, true {your pile} other {the pile of {name}}}",
  "page.pile.through": "look through the pile", "page.pile.title": "{you, select, true {Your pile} other {The pile of {name}}}",
  "page.pile.order": "From the top down.", "page.pile.unsure": "From the top down. The order of those with a dashed edge is not known.",
  "page.news": "What the others have just done", "page.moves": "Moves", "page.look.back": "Look back", "page.more": "More",
  "page.options": "What the chosen cards can do", "page.options.more": "and {n} more: choose further cards",
  "page.thinking": "Thinking …", "page.undo": "Undo", "page.hint": "Hint", "page.share": "{percent} %",
  "page.why.discard": "Why not lay it down?", "page.why.end": "Why not end?",
  "page.elsewhere": "This game is open on another page.", "page.elsewhere.here": "Play here",

  // --- looking back, replays, reviews ---
  "page.past.none": "Nothing has happened yet.", "page.past.title": "Looking back: {title}", "page.past.step": "Looking back, {at} of {of}. Then:",
  "page.past.back": "one step back", "page.past.on": "one step on", "page.past.now": "Back to now",
  "page.replay.line": "time line", "page.replay.play": "Play", "page.replay.pause": "Pause", "page.replay.hands": "whose cards are seen", "page.replay.all": "all hands",
  "page.replay.as": "{you, select, true {as you saw it} other {as {name} saw it}}", "page.replay.end": "The record ends here.",
  "page.review.you": "You:", "page.review.instead": "Instead:", "page.review.show": "Show", "page.review.play.on": "Play on from here", "page.review.on": "Go on",
  "page.review.progress": "decisions looked at",
  "page.record.title": "Replay a record", "page.record.paste": "paste a record", "page.record.file": "file of a record", "page.record.open": "Open",

  // --- turns to be found ---
  "page.try": "Try the worst again", "page.try.title": "{title}, {at} of {of}", "page.try.count": "Turn {at} of {of}", "page.try.task": "Here more was to be had. Find a better turn.",
  "page.try.played": "You played:", "page.try.find": "Find the best turn.", "page.try.answer": "Show the answer", "page.try.looking": "Looking at your turn …", "page.try.why": "Why",
  "page.try.same": "Right: there is nothing better.", "page.try.level": "Good.", "page.try.better": "Well found.", "page.try.mistake": "Not this one.",
  "page.try.best": "The best:", "page.try.then": "After your turn:", "page.try.instead": "After the best:", "page.try.behind": "Next best:", "page.try.next": "Next", "page.try.leave": "That was the last: back",

  "page.puzzles": "Puzzles", "page.puzzle.day": "Puzzle of the day", "page.puzzle.of": "Puzzle of {game}", "page.puzzle.none": "These puzzles cannot be fetched.",
  "page.puzzle.about": "Endings in which one turn is better than all others, by the exact solver. Games that only four can play have none: of three other hands nobody can work out who holds what.",
  "page.puzzle.tried": "{tried} of {of} tried, {solved} found at the first try",
  "page.puzzle.task": "Find the best turn. All hands lie open, and it is played to the end of the deal.",
  "page.puzzle.missed": "{missed, plural, one {One of the three levels} other {# of the three levels}} did not find it.",

  // --- people ---
  "page.pass.to": "{you, select, true {Your turn} other {{name} has the turn}}: pass the device on. Nobody’s cards are seen until then.", "page.pass.here": "Here I am",
  "page.link": "link", "page.link.copy": "Copy the link", "page.link.copied": "The link is on the clipboard.", "page.link.share": "Send",
  "page.link.send": "Send the turn", "page.link.turn": "Your friend’s turn", "page.link.deal": "The same deal for a friend", "page.link.watch": "A link to this game",
  "page.link.turn.about": "Send this link. Your friend plays and sends one back; whoever opens the newest goes on. It holds the whole game and needs no server: whoever takes it apart can read all cards.",
  "page.link.deal.about": "Send this link. Your friend gets your cards against the same opponents, and at the end both results stand side by side. The link that comes back shows them here.",
  "page.link.reply": "Your result, for your friend", "page.link.reply.about": "Send this link back: your friend sees both results side by side.",
  "page.challenge": "A friend challenges you", "page.challenge.about": "You get the cards that your friend had, against the same opponents. At the end both results stand side by side.",
  "page.link.watch.about": "Whoever opens this link sees the game step by step.",
  "page.after.turn": "Link", "page.after.deal": "Challenge a friend", "page.after.reply": "Send your result", "page.after.watch": "Link to this game",

  // --- results ---
  "page.result.points": "Points of the deal", "page.result.deal": "Deal {deal}: {verdict}", "page.result.next": "Next deal",
  "page.after.result": "Result", "page.after.review": "Review", "page.after.replay": "Replay", "page.after.again": "Same again",
  "page.deal.day": "Deal of the day", "page.worth.looking": "Playing the deal again, to see what it was worth …", "page.worth.luck": "Luck", "page.worth.play": "Play",
  "page.worth.about": "Luck is what these cards and this place were worth, give or take {error}; play is what was made of them. With the average of the sides, {average}, they come to the points.",
  "page.worth.duplicate": "The same deal: {who}",
  "page.progress": "How you play", "page.progress.games": "Games",
  "page.progress.none": "Review a finished game, and it says here what your decisions lose, and which level loses as much.",
  "page.progress.lost": "{level}: your decisions lost {lost} points each, {deal} a game ({n, plural, one {last reviewed game} other {last # reviewed games}}).",
  "page.progress.curve": "points lost a decision over {n, plural, one {one game} other {# games}}, from {first} to {last}",
  "page.progress.parts": "Luck gave you {luck} points a game, your play {play} ({n, plural, one {one game} other {# games}}).",
  "page.statistics": "Statistics", "page.statistics.none": "Nothing yet: play a game to its end.", "page.statistics.match": "match", "page.statistics.house": "house rules",
  "page.statistics.about": "Games that were played to their end on this device; points are means a game.",
  "page.statistics.against": "against {who}", "page.statistics.game": "Game", "page.statistics.played": "Played", "page.statistics.won": "Won",
  "page.statistics.own": "Your points", "page.statistics.best": "Best other", "page.statistics.clear": "Clear", "page.statistics.sure": "Clear for good",

  // --- the first page ---
  "page.home.title": "Take cards with cards",
  "page.home.about": "A nine takes a nine, and a five and a four as well. Build what you want to take later, and take it before somebody else does: the Casino games of southern Africa and their Cassino relatives, with a network or without.",
  "page.home.play": "Play {game}", "page.home.tour": "How it goes, in pictures", "page.home.going": "Go on with", "page.home.yours": "Your games",
  "page.home.done": "{n, plural, one {One finished game} other {# finished games}}", "page.home.more": "{n} more",
  "page.home.against": "against {others} · {when}", "page.home.forget": "forget this game of {game}",
  "page.home.size": "{counts} players · {same, select, true {{most, plural, one {about a minute} other {about # minutes}}} other {{least} to {most} minutes}}",
  "page.store.export": "Save all as a file", "page.store.import": "Read games from a file", "page.store.file": "file of games", "page.store.read": "Read",
  "page.store.import.about": "Games of the file are added to those here; one that is here already is replaced.",
  "page.store.choose": "Choose a file first.", "page.store.imported": "{n, plural, one {One game} other {# games}} read.",
  "page.store.none": "Games cannot be kept in this browser: {why}",
  "page.game.gone": "There is no such game on this device.",
  "page.game.copy": "Copy position", "page.game.copied": "The position is on the clipboard. What you cannot see is dealt at random.",
  "page.game.position": "Position", "page.game.save": "Save this game as a file", "page.game.record": "Save the record", "page.game.open.record": "Replay a record",
  "page.update": "There is a new version of this page.", "page.update.load": "Load it",

  // --- the first lesson ---
  "page.lesson": "Lesson", "page.lesson.begin": "Deal", "page.lesson.start": "Start here: a first lesson", "page.lesson.first": "First lesson",

  // --- a new game ---
  "page.new": "New game", "page.new.title": "New game", "page.new.game": "Game", "page.new.players": "Players", "page.new.level": "Level",
  "page.new.company": "With", "page.new.company.agents": "the computer", "page.new.company.person": "people here", "page.new.company.friend": "a friend, by link",
  "page.new.company.person.about": "The device goes round, and hands are hidden in between.",
  "page.new.company.friend.about": "You send each other links, turn by turn: no server and no account.",
 
  "page.new.match": "a match, not a single deal", "page.new.more": "Seats, house rules, more", "page.new.seats": "Seats", "page.new.seat": "Seat {seat}",
  "page.new.levels": "Levels", "page.new.others": "Others", "page.new.level.of": "{level}: {name}", "page.new.usual": " (usual)",
  "page.new.seed": "Seed", "page.new.seed.fresh": "a fresh deal", "page.new.position": "Position JSON", "page.new.position.paste": "begin from a position",
  "page.new.position.sets": "{game} with {players} players: the position brings its rules along.", "page.new.deal": "Deal",
  "page.rules": "Rules", "page.rules.of": "Rules of {game}", "page.games": "Games",

  // --- settings ---
  "page.label.table": "Card table", "page.label.move": "Your move", "page.label.panel": "Moves and hints", "page.label.moves": "Moves so far",
  "page.set.language": "Language", "page.set.draft": "{name} (a draft)",
  "page.set.theme": "Colours", "page.set.theme.system": "as the system has it", "page.set.theme.light": "light", "page.set.theme.dark": "dark",
  "page.set.fourColours": "suits in four colours", "page.set.pace": "Pace of the others", "page.set.pace.slow": "slow", "page.set.pace.normal": "normal", "page.set.pace.fast": "fast",
  "page.set.autoEnd": "end my turn when nothing else is left", "page.set.sound": "sounds", "page.set.adviser": "Hints by", "page.set.adviser.judge": "the judge of reviews",
  "page.keys.game": "Keys: arrows, space, 1 to 9 choose · u undo · h hint · e end the turn · escape choose anew · b look back · r rules · n new game",
  "page.keys.replay": "In a replay: arrows go from step to step · space plays · Home and End",

  // --- pictures ---
  "page.tour.title": "How it goes", "page.tour.picture": "a picture; what it shows is told beside it",
  "page.tour.aim": "You take cards of the table with cards of your hand. What you take lies on your pile, and scores at the end: most cards, most spades, aces, and a few of their own.",
  "page.tour.table": "Table", "page.tour.hand": "Your hand", "page.tour.pile": "Your pile", "page.tour.theirs": "Their pile",
  "page.tour.equal": "A card takes cards of its own number, and cards that come to it. Your 9 takes the 9, and 5 and 4 as well: all in one go.",
  "page.tour.taken": "All four are yours. If a card of yours takes nothing, you lay it down, and it lies there for everybody.",
  "page.tour.before": "Here the 5 is worth nothing to you yet: you hold a 4 and a 9.",
  "page.tour.build": "Lay the 4 on the 5: a build of 9. Only a 9 takes it now, all of it, on a later turn; you must hold one, as you do. But whoever else has a 9 may be faster.",
  "page.tour.steal": "In most games of southern Africa the top card of somebody’s pile is there to be used: 6 and your 3 come to 9 …",
  "page.tour.stolen": "… and go onto your build. You have stolen a card, and the build has become worth more, to you and to whoever has a 9.",
  "page.tour.rest": "What can be done with a card is offered as soon as you choose it, and what cannot be done is told with its reason. Begin.",
};
