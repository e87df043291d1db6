// A table between a person and agents, without a page: what can be done, what is shown, undo, saving, looking back,
// replays, hints and reviews. Shapes of what a page draws: shapes.d.ts.
//
//   await loadKernels()                      // once (../kernels.js)
//   const table = new Table({ variant: "swazi", players: 2, seats: ["you", "policy:swazi-2-medium"], seed: 7 })
//   const table = Table.load(saved)          // `saved` is what table.save() gave: plain JSON
//   table.seen()                             // Seen: everything to draw
//   offer(seen, chosen)                      // Offer: what the chosen tokens can become, what is lit, what to say
//   table.play(move.actions); table.undo(); await table.advance(agents)   // agents: { of(spec) -> agent or a promise }
//   table.whyNot(tokens, "discard" | "end" | "")    // Message | null
//   table.past(step)                         // Past
//   await table.hint(judge)                  // Hint; judge: of agents/analyse.js, or an agent
//   table.position(); table.record()         // Position JSON without hidden cards; the record, once it is over
//   rulesText(table.rules)                   // RulesSection[]
//   const line = timeLine(record, specs)     // a replay: line.seen(step, seat), seat null: all hands open; line.stops
//   await review(line, step, judge)          // Verdict, for step of line.decisions()
//   summary(line, verdicts)                  // Summary
//   const table = exerciseTable(position, specs)    // a turn to be found; isAnswered(table), then await answer(table, judge) // Tried
//   setupFromPosition(text, specs)           // a setup from pasted Position JSON: game, players and rules are its own
//   games(); sitting(rules); houseRules(variant, players, changes); rulesRefused(variant, players, changes)
//   levels(rules, policies); levelName(0..3); introduce(spec)
// Everything that cannot be done throws a TableError: `error.words` is a Message, `error.message` its English.

export { FRIEND, GUEST, makeSetup, PERSON, setupFromPosition, setupRules, TableError } from "./setup.js";
export { above, luckOf, partsOf, playedBy, pointsOf } from "./luck.js";
export { answer, exerciseTable, isAnswered } from "./exercise.js";
export { games, houseRules, introduce, levelName, levels, levelsOf, rulesRefused, sitting } from "./house.js";
export { planWords } from "./moves.js";
export { lessonOf, lessonSeed, lessonStart } from "./lesson.js";
export { linkOf, readLink, tableOfLink } from "./link.js";
export { candidates, offer } from "./offer.js";
export { dealOfTheDay, puzzleAt, puzzleOfTheDay, readPuzzles } from "./puzzles.js";
export { ANCHORS, curveOf, levelOf, lostOf, review, summary } from "./review.js";
export { TimeLine, timeLine } from "./replay.js";
export { FORMAT, Table } from "./table.js";
export { rulesText } from "../words/rules.js";
