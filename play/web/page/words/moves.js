// Describe moves from their facts, in players' words: one clause for a move, one sentence for a turn.

import { cardArg, say } from "./message.js";
import { GRANT, INSIST_ADD, INSIST_CAPTURE, OWNER, REQUEST } from "./look.js";

/** @import { Message } from "./message.js" */
/** @import { Names } from "./names.js" */
/** @import { Fact, Source, Standing } from "./facts.js" */

/** A move as a clause; null where nothing is to be told. imperative: as something to do, else as done by its seat.
 * @param {Fact} fact @param {Names} names @param {boolean} imperative @returns {Message | null} */
export function describeMove(fact, names, imperative) {
  const who = names.who(fact.seat, imperative), told = new Teller(fact, names);
  switch (fact.do) {
    case "end":
      return null;
    case "yes":
    case "no":
      return answer(fact, names, imperative);
    case "claim":
      return say("do.claim", { who });
    case "sort":
      return fact.seat === names.you || imperative ? say("do.sort", { who, cards: told.cards() }) : null;
    case "pick":
      return say("do.pick", { who, cards: told.cards() });
    case "discard":
      return say("do.discard", { who, card: cardArg(fact.card ?? "") });
    case "capture":
      return say(`do.${fact.waits ? "play" : "take"}${fact.high ? ".high" : ""}`,
        { who, what: told.taken(), card: cardArg(fact.card ?? "") });
    case "begin":
      return say("do.begin", { who, value: fact.value });
    case "add":
      return say("do.add",
        { who, sets: told.sets(), build: told.build({ value: fact.value ?? 0, owner: fact.owner ?? -1 }) });
    case "raise":
      return raise(fact, who, told);
    default:
      return build(fact, who, told);
  }
}

class Teller {
  /** @param {Fact} fact @param {Names} names */
  constructor(fact, names) {
    this.fact = fact;
    this.names = names;
  }

  cards() {
    return (this.fact.cards ?? []).map(cardArg);
  }

  /** @param {Source} source */
  source({ card, from }) {
    if (from === -2) return say("held.card", { card: cardArg(card) });
    return from >= 0 ? say("of.card", { owner: this.names.of(from, this.fact.seat), card: cardArg(card) })
      : cardArg(card);
  }

  /** @param {Standing} standing */
  build({ value, owner }) {
    return owner < 0 ? say("of.nobody.build", { value })
      : say("of.build", { owner: this.names.of(owner, this.fact.seat), value });
  }

  /** @param {Source[]} cards */
  sum(cards) {
    return say("the.sum", { cards: cards.map((each) => this.source(each)) });
  }

  sets() {
    return (this.fact.sets ?? []).map((set) => this.sum(set));
  }

  taken() {
    const { groups = [], piles = [], builds = [] } = this.fact;
    const what = [
      ...groups.map((group) => this.sum(group)),
      ...piles.map((seat) => say("of.pile", { owner: this.names.of(seat, this.fact.seat) })),
      ...builds.map((standing) => this.build(standing)),
    ];
    return what.length ? what : [say("do.take.cards")];
  }
}

/** @param {Fact} fact @param {any} who @param {Teller} told */
function build(fact, who, told) {
  const sets = fact.sets ?? [], hand = sets.flat().find(({ from }) => from === -2), { value } = fact;
  if (sets.length === 1 && hand) {
    const rest = sets[0].filter((each) => each !== hand).map((each) => told.source(each)), card = cardArg(hand.card);
    return rest.length ? say("do.build.on", { who, value, card, cards: rest })
      : say("do.build.hand", { who, value, card });
  }
  const loose = sets.flat().every(({ from }) => from === -1);
  return say(loose ? "do.build.table" : "do.build.sets", { who, value, sets: told.sets() });
}

/** @param {Fact} fact @param {any} who @param {Teller} told */
function raise(fact, who, told) {
  const raised = told.build(fact.raised ?? { value: 0, owner: -1 });
  if (!fact.value) return say("do.raise.begin", { who, build: raised });
  const cards = (fact.sets ?? []).flat().map((each) => told.source(each));
  const args = { who, build: raised, value: fact.value, cards };
  return fact.joined ? say("do.raise.join", { ...args, joined: told.build(fact.joined) }) : say("do.raise", args);
}

/** An answer as a clause; null for a "no" that is silent at the table: not asking, or not insisting.
 * @param {Fact} fact @param {Names} names @param {boolean} imperative */
function answer(fact, names, imperative) {
  const yes = fact.do === "yes";
  const told = yes ? fact.mode !== OWNER : fact.mode === OWNER || fact.mode === GRANT;
  return imperative || told ? answerWords(fact, names, imperative) : null;
}

/** A yes or no to a question, as an instruction or a report. @param {Fact} fact @param {Names} names
 * @param {boolean} imperative @returns {Message} */
function answerWords(fact, names, imperative) {
  const who = names.who(fact.seat, imperative), yes = fact.do === "yes", { value } = fact;
  const partner = names.of(fact.partner ?? 0), mover = names.of(fact.mover ?? 0), what = fact.take ? "build" : "cards";
  switch (fact.mode) {
    case OWNER:
      return yes ? say("do.keep", { who, value }) : say("do.leave", { who, value, partner });
    case REQUEST:
      return say(yes ? `do.ask.${what}` : `do.let.${what}`, { who, value });
    case GRANT:
      return yes ? say(`do.grant.${what}`, { who, value, partner }) : say(`do.refuse.${what}`, { who, value });
    case INSIST_CAPTURE:
      return yes ? say("do.insist.capture", { who, mover }) : say("do.let.pass", { who });
    case INSIST_ADD:
      return yes ? say("do.insist.add", { who, mover }) : say("do.let.pass", { who });
    default:
      throw new Error(`mode ${fact.mode} asks nothing`);
  }
}

/** What one seat did in a turn, or a part of it, as one sentence that begins with who it was. Null where nothing is to
 * be told. @param {Fact[]} facts @param {Names} names @returns {Message | null} */
export function describeTurn(facts, names) {
  const steps = stepsOf(put(facts), names, false);
  return steps.length ? say("turn.of", { who: names.of(facts[0].seat), steps }) : null;
}

/** A turn as something to do; one of which nothing is to be told ends. @param {Fact[]} facts @param {Names} names
 * @returns {Message} */
export function describePlan(facts, names) {
  const steps = stepsOf(facts, names, true);
  return steps.length ? say("turn.steps", { steps }) : say("turn.end", { who: names.who(facts[0]?.seat ?? 0, true) });
}

/** @param {Fact[]} facts @param {Names} names @param {boolean} imperative */
const stepsOf = (facts, names, imperative) => together(facts).map((fact) => describeMove(fact, names, imperative))
  .filter((step) => step !== null);

/** Merge a discard that is used at once into its set. @param {Fact[]} facts @returns {Fact[]} */
function put(facts) {
  const laid = facts.find((fact) => fact.do === "discard")?.card;
  const uses = (/** @type {Source[]} */ set) => set.some(({ card, from }) => card === laid && from === -1);
  if (!laid || !facts.some(({ sets = [] }) => sets.some(uses))) return facts;
  const hand = { card: laid, from: -2 };
  const played = (/** @type {Source[]} */ set) =>
    (uses(set) ? [hand, ...set.filter(({ card }) => card !== laid)] : set);
  return facts
    .filter((fact) => fact.card !== laid || fact.do !== "discard")
    .map((fact) => (fact.sets ? { ...fact, sets: fact.sets.map(played) } : fact));
}

/** Join sets of a build, cards of a pile, and steps of a capture. @param {Fact[]} facts @returns {Fact[]} */
function together(facts) {
  /** @type {Fact[]} */
  const out = [];
  for (const fact of facts) {
    const before =
      fact.do === "add"
        ? out.find((one) => (one.do === "build" || one.do === "add") && one.value === fact.value
          && one.seat === fact.seat)
        : undefined;
    const moved = fact.do === "sort" ? out.find((one) => one.do === "sort") : undefined;
    const asked = fact.do === "capture"
      ? out.findIndex((one) => one.do === "capture" && one.waits && one.card === fact.card) : -1;
    if (before) out[out.indexOf(before)] = { ...before, sets: [...(before.sets ?? []), ...(fact.sets ?? [])] };
    else if (moved) out[out.indexOf(moved)] = { ...moved, cards: [...(moved.cards ?? []), ...(fact.cards ?? [])] };
    else if (asked >= 0) out[asked] = fact;
    else out.push(fact);
  }
  return out;
}
