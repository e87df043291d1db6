/** Reads game records, one a line as JSON text, plays them again and writes them; or the bytes of a game with its rules,
 * and has them back. What is refused comes as an error. Used by tests/both_engines.py. */

import { createInterface } from "node:readline";
import { Game, loadKernels, readRecord, replay, rulesOf, writeRecord } from "../src/index.js";

await loadKernels();

/** @param {any} asked */
function answer(asked) {
  if (typeof asked === "object") {
    const rules = rulesOf(asked.variant, asked.players, asked.rules);
    const game = Game.fromBytes(Uint8Array.from(Buffer.from(asked.bytes, "hex")), rules, { skipForced: false });
    for (let i = 0; i < 30 && !game.over; i++) game.apply(game.legal()[0]);
    return { bytes: hex(game) };
  }
  const seed = /^seed: (\d+)$/m.exec(asked);
  const game = replay(asked);
  return { text: writeRecord(seed ? BigInt(seed[1]) : readRecord(asked).game, game), bytes: hex(Game.fromBytes(game.toBytes(), game.rules)) };
}

/** @param {Game} game */
function hex(game) {
  return Buffer.from(game.toBytes()).toString("hex");
}

for await (const line of createInterface({ input: process.stdin })) {
  try {
    console.log(JSON.stringify(answer(JSON.parse(line))));
  } catch (error) {
    console.log(JSON.stringify({ error: error.name === "Error" || error.name === "RecordError" ? error.message : error.stack }));
  }
}
