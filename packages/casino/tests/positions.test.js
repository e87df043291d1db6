/** Worked positions, as in tests/test_engines.py: the legal results of a complete turn, and their number in fixed deals
 * (SLOW=1: after two turns too). */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Game, loadKernels } from "../src/index.js";
import { perft } from "./perft.js";

await loadKernels();
const read = (name) => JSON.parse(readFileSync(new URL(`../../../tests/${name}`, import.meta.url), "utf8"));

function withInsist({ position }, { insist }) {
  if (position.variant === "stealing-bundles") return position;
  return { ...position, rules: { ...position.rules, insist_capture: insist, insist_augment: insist } };
}

const sorted = (cards) => [...cards].sort().join(" ");

/** Compare piles; a list within a pile is a batch in any order. */
function pileFits(wanted, got) {
  let at = 0;
  for (const item of wanted) {
    const cards = Array.isArray(item) ? item : [item];
    if (sorted(got.slice(at, at + cards.length)) !== sorted(cards)) return false;
    at += cards.length;
  }
  return at === got.length;
}

function buildsOf(rows) {
  return JSON.stringify(rows.map(([value, owner, sets]) =>
    [value, owner, sets.map((cards) => sorted(cards.split(" "))).sort()]).sort());
}

function fits(turn, after, mover) {
  const builds = after.builds.map(({ value, owner, sets }) => [value, owner, sets.map((cards) => cards.join(" "))]);
  return (
    sorted(turn.hand) === sorted(after.hands[mover]) &&
    sorted(turn.layout) === sorted(after.layout) &&
    buildsOf(turn.builds) === buildsOf(builds) &&
    turn.piles.every((wanted, i) => i >= after.piles.length || pileFits(wanted, after.piles[i]))
  );
}

for (const file of ["positions.json", "kasa_positions.json"]) {
  for (const worked of read(file)) {
    test(`${file} ${worked.id}`, () => {
      for (const turn of worked.turns) {
        const data = withInsist(worked, turn);
        const found = Game.fromJson(data).turns().some(({ after }) => fits(turn, after, data.to_move));
        assert.equal(found, turn.legal, turn.rule);
      }
    });
  }
}

const PERFT = read("perft.json").counts;
const MOMENTS = [0, 6, 12, 18, 24];

for (const [name, wanted] of Object.entries(PERFT)) {
  test(`numbers of results, ${name}`, () => {
    const [variant, players] = name.split(" ");
    const game = new Game(variant, Number(players), 20, { skipForced: false });
    const found = [];
    for (const moment of MOMENTS) {
      while (game.record.get(0, "turns") < moment && !game.over) {
        const legal = game.legal();
        game.apply(legal[Math.floor(legal.length / 2)]);
      }
      found.push(perft(game, 1));
      if (moment === 12) found.push(process.env.SLOW ? perft(game, 2) : wanted[3]);
    }
    assert.deepEqual(found, wanted);
  });
}

test("a turn's words leave out who gets what is left at the end of a deal", () => {
  const game = Game.fromJson({
    variant: "south-african", players: 2, rules: {}, hands: [[], ["5H"]], layout: ["9C", "7D"], builds: [],
    piles: [[], allBut(["5H", "9C", "7D"])], stock: [], to_move: 1, last_capture: 1,
  });
  assert.deepEqual(game.turns().map(({ text }) => text), ["discard 5H*"]);
});

/** @param {string[]} some */
function allBut(some) {
  const ranks = ["A", "2", "3", "4", "5", "6", "7", "8", "9", "T"];
  return ranks.flatMap((rank) => ["C", "D", "H", "S"].map((suit) => rank + suit))
    .filter((card) => !some.includes(card));
}
