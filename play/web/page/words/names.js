// The names of seats and agents.

import { say } from "./message.js";

/** @import { Message, SeatArg } from "./message.js" */

export const PERSON = "you";
export const GUEST = "person"; // somebody else at this device
export const FRIEND = "friend"; // somebody elsewhere, by links
export const PEOPLE = [PERSON, GUEST, FRIEND]; // all others are agents
const BOTS = ["random", "greedy", "builder", "counter", "partner", "search", "strongest", "solved", "judge", "friend",
  "person"];

/** The names of a table's seats, for the person on one of them or (you = -1) for a spectator. */
export class Names {
  /** @param {Message[]} called @param {number} [you] @param {number} [partner] the seat of the person's partner */
  constructor(called, you = -1, partner = -1) {
    this.called = called;
    this.you = you;
    this.partner = partner;
  }

  /** A seat as an argument of a message; reflexive if it equals `teller`, the subject of the sentence.
   * @param {number} seat @param {number} [teller] @returns {SeatArg} */
  of(seat, teller = -1) {
    const as = seat === this.you ? "you" : seat === teller ? "self" : seat === this.partner ? "partner" : "they";
    return { seat, as, name: this.called[seat] };
  }

  /** A seat as the subject of a sentence. @param {number} seat @param {boolean} [imperative] @returns {SeatArg} */
  who(seat, imperative = false) {
    return imperative ? { seat, as: "do", name: this.called[seat] } : this.of(seat);
  }
}

/** The part of a spec that selects its texts: a bot, or a policy and its level. @param {string} spec */
function kindOf(spec) {
  const [head] = spec.split(":", 1), rest = spec.slice(head.length + 1);
  if (head !== "policy") return BOTS.includes(head) ? head : "other";
  if (rest === "universal") return rest;
  return ["policy", .../-(easy|medium)$/.exec(rest)?.slice(1) ?? []].join(".");
}

/** @type {{ [kind: string]: number }} */
const LEVELS = { "policy.easy": 0, "policy.medium": 1, policy: 2, strongest: 3 };

/** @param {number} level */
export const levelName = (level) => say(`level.${level}`);

/** A short name for an agent: its level, if that is the same in every game. @param {string} spec
 * @returns {Message} */
export function agentTitle(spec) {
  const kind = kindOf(spec), [, own] = /^policy:(.*\.policy)$/.exec(spec) ?? [];
  if (own) return say("agent.other", { spec: own });
  return kind in LEVELS ? levelName(LEVELS[kind]) : say(`agent.${kind}`, kind === "other" ? { spec } : undefined);
}

/** A description of an agent. @param {string} spec @returns {Message} */
export function agentLine(spec) {
  const kind = kindOf(spec), line = say(`agent.${kind}.line`, kind === "other" ? { spec } : undefined);
  const seconds = /time=([\d.]+)/.exec(spec);
  return seconds ? say("agent.seconds", { line, seconds: seconds[1] }) : line;
}

/** The names for people and agents. An agent has the name of its seat; numbers distinguish equal names.
 * @param {string[]} specs @param {{ partners?: boolean, you?: number }} [how] you: the seat of the reader */
export function namesOf(specs, { partners = false, you = specs.indexOf(PERSON) } = {}) {
  const mate = partners && you >= 0 ? (you + 2) % specs.length : -1;
  const titles = specs.map((spec, seat) => {
    if (seat === you) return say("name.you");
    if (spec === PERSON || spec === GUEST) return say("name.player", { number: seat + 1 });
    if (seat === mate) return say("name.partner");
    return spec === FRIEND ? agentTitle(spec) : say(`name.agent.${seat}`);
  });
  const keys = titles.map((title) => JSON.stringify(title));
  const called = titles.map((name, seat) => {
    if (keys.filter((key) => key === keys[seat]).length === 1) return name;
    return say("name.numbered", { name, number: keys.slice(0, seat + 1).filter((key) => key === keys[seat]).length });
  });
  return new Names(called, you, mate);
}

/** Of a table of which nothing says who sits where. @param {number} players @param {number} [you] */
export const seatNames = (players, you = -1) =>
  new Names(Array.from({ length: players }, (_, seat) => say("name.seat", { number: seat + 1 })), you);
