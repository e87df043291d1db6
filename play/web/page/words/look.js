// Looking at the record of a game.

import { hasCard } from "../casino/src/game/cards.js";

/** @import { Values } from "../casino/src/kernels/kernels.js" */

// What is being decided (engine/state.py).
export const [IDLE, SET, RAISED, CAPTURING, MAXIMAL, OWNER, REQUEST, GRANT, INSIST_CAPTURE, COMPLETE, INSIST_ADD,
  SORTING, BUNDLE, OVER] =
  Array(14).keys();

/** A record of a game, to be read. */
export class Look {
  /** @param {Values} record */
  constructor(record) {
    this.record = record;
  }

  /** A number of a field, or a set of cards. @param {string} name @param {number} [index] @returns {number} */
  num(name, index = 0) {
    return this.record.get(0, name, index);
  }

  /** Whether a field of cards has this one. @param {string} name @param {number} index @param {number} card */
  has(name, index, card) {
    return card >= 0 && hasCard(this.num(name, index), card);
  }

  /** Whose a build is; -1 if nobody's. @param {number} value @param {number} players */
  owner(value, players) {
    for (let seat = 0; seat < players; seat++) if ((this.num("owned", seat) >> value) & 1) return seat;
    return -1;
  }

  /** The seat in whose pile a card lies, or -1. @param {number} card @param {number} players */
  pileOf(card, players) {
    for (let seat = 0; seat < players; seat++) if (this.has("piles", seat, card)) return seat;
    return -1;
  }

  get mode() {
    return this.num("mode");
  }

  get actor() {
    return this.num("actor");
  }
}

/** Whether somebody is in the middle of one move: a set or a capture is being put together. @param {number} mode */
export const isMiddle = (mode) => mode === SET || mode === RAISED || mode === CAPTURING || mode === MAXIMAL
  || mode === BUNDLE;
