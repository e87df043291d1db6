// Lessons of one move: what is right on a board is a legal turn, and exactly the turns that fulfil its idea are right.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";

import { variants } from "../page/casino/src/game/rules.js";
import { findTurns } from "../page/casino/src/game/turns.js";
import { boardTable, boardWords, isReached, readLessons, rightMove } from "../page/table/index.js";
import { factsOf } from "../page/table/moves.js";
import { themeOf } from "../page/table/puzzles.js";
import { text } from "./tables.js";

const FILE = new URL("../page/lessons.json", import.meta.url);
const { games, boards } = readLessons(JSON.parse(readFileSync(FILE, "utf8")));
const FORCED = ["last"]; // here a card that can take has to: no turn is wrong
const PARTLY = ["sum", "points", "lay"]; // here the same can be done with other cards: take less, lay down another
const FORTY = ["south-african", "khasino", "kasa"]; // games with 40 cards, without court cards

/** Every board in every game, with its table. */
const all = Object.entries(games).flatMap(([variant, ids]) => ids.map((id) => ({ variant, id, board: boards[id],
  table: boardTable(boards[id], variant, "greedy") })));

/** Return whether one of the moves of a turn is of this kind. */
const isAbout = ({ game }, actions, idea) => factsOf(game.record, game.rules, actions)
  .some((fact) => (fact.do === "yes" ? "ask" : themeOf([fact], game.seat)) === idea);

test("six to ten boards a game, each of them used", () => {
  for (const ids of Object.values(games)) assert.ok(ids.length >= 6 && ids.length <= 10);
  assert.deepEqual(Object.keys(games).filter((variant) => !(variant in variants())), []);
  assert.deepEqual(Object.keys(boards).filter((id) => !Object.values(games).flat().includes(id)), []);
});

for (const { variant, id, board, table } of all) {
  test(`${variant}: ${id}`, () => {
    const { game, person } = table, turns = findTurns([game.record], game.rules);
    assert.equal(table.mine, true);
    const right = turns.filter(({ record }) => isReached(board.goal, record, person));
    for (const { actions } of right) assert.ok(isAbout(table, actions, board.idea));
    assert.ok(right.length && (right.length < turns.length || FORCED.includes(id)));
    // the move that is shown gets there, and no turn that is shorter or about something else does
    const played = boardTable(board, variant, "greedy");
    while (played.mine) played.play((rightMove(board.goal, played) ?? played.moves()[0]).actions);
    assert.ok(isReached(board.goal, played.game.record, person));
    for (const turn of turns)
      assert.ok(right.includes(turn) || PARTLY.includes(id) || !isAbout(table, turn.actions, board.idea), turn.actions);
  });

  test(`${variant}: ${id} is told`, () => {
    for (const part of ["title", "task", "right", "wrong"]) assert.ok(text(boardWords(id, board, part, table)));
    const shown = JSON.stringify(board);
    if (FORTY.includes(variant)) assert.doesNotMatch(shown, /[JQK][SHDC]/);
    for (const part of ["task", "right", "wrong"])
      for (const [card] of text(boardWords(id, board, part, table)).matchAll(/\b[A2-9TJQK][SHDC]\b/g))
        assert.ok(shown.includes(card) || id === "points", `${card} is not on the board`);
  });
}

test("a drift is one gesture, whichever of the two cards is laid", () => {
  const { table } = all.find(({ id }) => id === "drift");
  const ways = table.moves().filter(({ tokens }) => tokens.length === 2 && tokens.includes("8H"));
  assert.deepEqual(ways.filter(({ do: what }) => what === "build").map(({ tokens }) => tokens.join(" ")),
    ["8H 8S", "8D 8H"]);
  assert.match(text(ways.at(-1).words), /Build 8 with the 8D on 8H/);
});

test("the league's own words stand beside ours in its game alone", () => {
  const wordsOf = ({ id, board, table }) => ["title", "task", "right"]
    .map((part) => text(boardWords(id, board, part, table))).join(" ");
  const told = (wanted) => all.filter(({ variant }) => variant === wanted).map(wordsOf).join(" ");
  for (const word of ["chow", "drift", "stash", "Shiya", "Mummy", "Spy Two"]) {
    assert.match(told("kasa"), new RegExp(word));
    assert.doesNotMatch(told("khasino"), new RegExp(word));
  }
});

test("lessons of another version are refused", () => {
  assert.throws(() => readLessons({ format: "casino-lessons 0" }), /another version/);
});
