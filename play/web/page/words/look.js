// Read the record of a game.

import { hasCard } from "../casino/src/game/cards.js";

/** @import { Values } from "../casino/src/kernels/kernels.js" */

// The modes: what is being decided (engine/state.py).
export const [IDLE, SET, RAISED, CAPTURING, MAXIMAL, OWNER, REQUEST, GRANT, INSIST_CAPTURE, COMPLETE, INSIST_ADD,
  SORTING, BUNDLE, OVER] =
  Array(14).keys();

/** A reader for the record of a game. */
export class Look {
  /** @param {Values} record */
  constructor(record) {
    this.record = record;
  }

  /** The number in a field, perhaps a set of cards. @param {string} name @param {number} [index] @returns {number} */
  num(name, index = 0) {
    return this.record.get(0, name, index);
  }

  /** Whether a set of cards contains a card. @param {string} name @param {number} index @param {number} card */
  has(name, index, card) {
    return card >= 0 && hasCard(this.num(name, index), card);
  }

  /** The owner of a build; -1: nobody. @param {number} value @param {number} players */
  owner(value, players) {
    for (let seat = 0; seat < players; seat++) if ((this.num("owned", seat) >> value) & 1) return seat;
    return -1;
  }

  /** The seat whose pile contains a card, or -1. @param {number} card @param {number} players */
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

/** Whether a move is unfinished: a set or a capture is being put together. @param {number} mode */
export const isMiddle = (mode) => mode === SET || mode === RAISED || mode === CAPTURING || mode === MAXIMAL
  || mode === BUNDLE;
