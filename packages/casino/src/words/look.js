// Looking at the record of a game, and trying actions on copies of it. Records are bytes here, so that a thousand of
// them need no memory of the kernels.

import { CARDS, cardsOf, hasCard } from "../cards.js";
import { use } from "../kernels.js";

/** @typedef {import("../cards.js").CardSet} CardSet */
/** @typedef {import("../kernels.js").Records} Records */

// What is being decided (engine/state.py).
export const [IDLE, SET, RAISED, CAPTURING, MAXIMAL, OWNER, REQUEST, GRANT, INSIST_CAPTURE, COMPLETE, INSIST_ADD, SORTING, BUNDLE, OVER] = Array(14).keys();

/** @type {{ [type: string]: { width: number, read: (data: DataView, at: number) => number } }} */
const TYPES = {
  i8: { width: 1, read: (data, at) => data.getInt8(at) },
  u8: { width: 1, read: (data, at) => data.getUint8(at) },
  i16: { width: 2, read: (data, at) => data.getInt16(at, true) },
  i64: { width: 8, read: (data, at) => data.getUint32(at, true) + 2 ** 32 * data.getUint32(at + 4, true) }, // of sets of cards
};

/** A record of a game, to be read. */
export class Look {
  /** @param {Uint8Array} bytes */
  constructor(bytes) {
    this.bytes = bytes;
    this.data = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.fields = use().facts.records.GAME.fields;
  }

  /** A number of a field, or a set of cards. @param {string} name @param {number} [index] @returns {number} */
  num(name, index = 0) {
    const [type, offset] = this.fields[name], { width, read } = TYPES[type];
    return read(this.data, offset + index * width);
  }

  /** Whether a field of cards has this one. @param {string} name @param {number} index @param {number} card */
  has(name, index, card) {
    return card >= 0 && hasCard(this.num(name, index), card);
  }

  /** The card and those that lie under it, from the top down. @param {number} top */
  chain(top) {
    const out = [];
    for (let card = top; card >= 0 && out.length < CARDS; card = this.num("below", card)) out.push(card);
    return out;
  }

  /** The sets of a build in the order in which they were laid, cards bottom first. @param {number} value */
  sets(value) {
    /** @type {number[][]} */
    const out = [];
    for (const card of this.chain(this.num("build_top", value)).reverse()) {
      if (this.has("starts", 0, card) || !out.length) out.push([]);
      /** @type {number[]} */ (out.at(-1)).push(card);
    }
    return out;
  }

  /** Cards in the order in which they were laid. @param {CardSet} set */
  byTime(set) {
    return cardsOf(set).sort((a, b) => this.num("laid", a) - this.num("laid", b) || a - b);
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
export const isMiddle = (mode) => mode === SET || mode === RAISED || mode === CAPTURING || mode === MAXIMAL || mode === BUNDLE;
