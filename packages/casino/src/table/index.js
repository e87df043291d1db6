// A table between a person and agents, without a page: what can be done, what is shown, undo, saving, looking back,
// replays, hints and reviews. Shapes of what a page draws: shapes.js.
//
//   use(kernels)                             once (../kernels.js)
//   const table = new Table(makeSetup({ variant: "swazi", players: 2, seats: ["you", "policy:swazi-2-medium"], seed: 7 }))
//   const table = Table.load(saved)          // `saved` is what table.save() gave
//   table.seen()                             // Seen: everything to draw
//   offer(seen, chosen)                      // Offer: what the chosen tokens can become, what is lit, what to say
//   table.play(move.actions); table.undo(); await table.advance(agents)   // agents: { of(spec) -> agent or a promise }
//   table.whyNot(tokens, "discard" | "end" | "")    // Message | null
//   table.past(step)                         // Past
//   await table.hint(spec, agents)           // Hint
//   table.position(); table.record()         // Position JSON without hidden cards; the record, once it is over
//   const line = timeLine(record, specs)     // a replay
//   line.seen(step, seat)                    // Replayed; seat null: all hands open
//   await review(line, step, agent)          // Verdict;  summary(line, verdicts)  // Summary
//   setupFromPosition(text, specs)           // a setup from pasted Position JSON: game, players and rules are its own
//   games(); houseRules(variant, players, changes); rulesOf(variant, players, changes); levels(...); introduce(spec)
// Everything that cannot be done throws a TableError: `error.words` is a Message, `error.message` its English.

export { PERSON } from "./shapes.js";
