/**
 * A record from outside is validated before it is played: its cards are all right, and its turn can be gone on with.
 *
 * The cards are looked at by a kernel. What a turn has begun is played once more from the beginning of its open action:
 * nothing else can have come about.
 */

import { BUILD, CAPTURE, CAPTURE_HIGH, DISCARD, END, NO, RAISE, YES } from "./actions.js";
import { cardName, CARDS, cardsOf, countOf, hasCard, maskOf, parseCard, union } from "./cards.js";
import { act, actionsOf, allows, fault, legal, stateNumbers } from "../kernels/engine.js";
import { use } from "../kernels/kernels.js";
import { keyOf } from "./turns.js";

/** @typedef {import("../kernels/kernels.js").Values} Values */
/** @typedef {import("./rules.js").Rules} Rules */
/** @typedef {Record<string, any>} Fields of a record: numbers, and lists of them */
/** @typedef {[wrong: unknown, text: string]} Row */
/** @typedef {[low: number, high: number]} Limit */

/** @type {Limit} */
const CARD = [-1, CARDS - 1];
/** @param {string} name @returns {any} */
const constant = (name) => use().constant("validate_position", name);

/** The least and greatest that the single numbers of a record may be. @param {Rules} rules @returns {Record<string, Limit>} */
export function limits(rules) {
  const { IDLE, OVER, OPEN_CARDS } = stateNumbers();
  /** @type {Record<string, Limit>} */
  const out = {};
  const all = (/** @type {string} */ names, /** @type {Limit} */ limit) => {
    for (const name of names.split(" ")) out[name] = limit;
  };
  all("to_move actor leader", [0, rules.players - 1]);
  all("last_capture last_source", [-1, rules.players - 1]);
  all("play_value debt unfinished joined open_value open_left raising", [0, rules.maxBuild]);
  all("match acted played stolen added merged no_new_build must_add take_build tops_only", [0, 1]);
  all("laid_now hand_card stock_top", CARD);
  if (rules.chain === "no") all("stolen", [0, 2 ** rules.players - 1]); // bit p: of pile p
  all("open_last lead laid_next turns", [0, CARDS]);
  all("mode", [IDLE, OVER]);
  all("settled", [0, 3]);
  all("open_count", [0, OPEN_CARDS]);
  all("winner", [-2, rules.sides - 1]);
  all("round", [1, constant("MOST_ROUNDS")]);
  all("deals", [0, 30_000]);
  all("hidden_stock shuffled", [0, 0]);
  return out;
}

/** @type {Record<string, Limit>} */
const LISTS = {
  match_score: [-30_000, 30_000],
  deal_points: [0, 127],
  sweeps: [0, CARDS],
  open_cards: CARD,
  hidden_hand: [0, 0],
  hidden_pile: [0, 0],
  padding: [0, 0],
};

/** Fails, in one line, unless play could go on from the record (or its game is over). @param {Values} record @param {Rules} rules */
export function validateRecord(record, rules) {
  validateFields(record, rules);
  proveAction(record, rules);
}

/** The same, but for what the open action takes: whether the hand of the seat allows it. @param {Values} record @param {Rules} rules */
export function validateFields(record, rules) {
  const now = fieldsOf(record);
  for (const [name, limit] of Object.entries(limits(rules))) if (name in now) within(name, now[name], limit);
  for (const [name, limit] of Object.entries(LISTS)) {
    if (!now[name].length) continue;
    within(name, Math.min(...now[name]), limit);
    within(name, Math.max(...now[name]), limit);
  }
  const found = fault(record, rules);
  if (found) throw new Error(use().constant("engine.record_invariants", "FAULTS")[found]);
  const rows = now.mode === stateNumbers().OVER ? finished(now, rules) : turn(now, rules);
  for (const [wrong, text] of rows) if (wrong) throw new Error(text);
}

/** @param {Values} record */
function fieldsOf(record) {
  /** @type {Fields} */
  const now = {};
  for (const [name, [, , shape]] of Object.entries(record.fields)) now[name] = shape.length ? record.list(0, name) : record.get(0, name);
  return now;
}

/** @param {string} name @param {number} value @param {Limit} limit */
function within(name, value, [low, high]) {
  if (!(value >= low && value <= high)) throw new Error(`${name}: ${value}; it must be ${low}${high > low ? ` to ${high}` : ""}`);
}

// --- the fields of the turn ----------------------------------------------------------------------------------------

/** The fields of an open action that say something. @param {Fields} now */
function openFields(now) {
  const names = Object.entries(constant("OPEN")).filter(([name, none]) => now[name] !== none);
  return [...names.map(([name]) => name), ...(now.open_cards.some(Boolean) ? ["open_cards"] : [])];
}

/** The fields of a turn in which something has been done. @param {Fields} now */
function begun(now) {
  const names = Object.entries(constant("TURN")).filter(([name, none]) => now[name] !== none);
  return [...names.map(([name]) => name), ...openFields(now)];
}

/** @param {Fields} now @param {Rules} rules @returns {Iterable<Row>} */
function* finished(now, rules) {
  const some = begun(now);
  yield [some.length, `turn: the game is over, so there is no ${some.join(", ")}`];
  const left = now.hands.some(Boolean) || now.stock_top >= 0;
  yield [left && !rules.count_out, "hands: the game is over, but there are cards to play"];
  yield [now.match && now.winner === -1, "winner: the match is over, so somebody has won or it is shared (-2)"];
  yield [now.actor !== now.to_move, "turn.actor: the game is over"];
  if (!now.match && !left) yield [now.winner !== dealWinner(now, rules), "winner: whoever has most points has won the deal"];
}

/** The side with most points; of several the one with the big ten, where that breaks ties; -2: shared. */
/** @param {Fields} now @param {Rules} rules */
function dealWinner(now, rules) {
  const points = now.deal_points.slice(0, rules.sides);
  let best = points.flatMap((/** @type {number} */ one, /** @type {number} */ side) => (one === Math.max(...points) ? [side] : []));
  if (best.length > 1 && rules.tie_break === "big_ten") {
    const big = parseCard(rules.big_ten);
    const holders = now.piles.flatMap((/** @type {number} */ pile, /** @type {number} */ seat) => (hasCard(pile, big) ? [rules.side(seat)] : []));
    const some = best.filter((/** @type {number} */ side) => holders.includes(side));
    best = some.length ? some : best;
  }
  return best.length === 1 ? best[0] : -2;
}

/** What is wrong with a turn, and why. @param {Fields} now @param {Rules} rules @returns {Iterable<Row>} */
function* turn(now, rules) {
  const { IDLE, SORTING } = stateNumbers();
  yield [now.winner !== -1, "winner: there is none before the end"];
  yield [!now.match && now.deals !== 0, "deals: a single deal has none behind it"];
  if (!now.acted) {
    const some = begun(now);
    yield [some.length, `turn: ${some.join(", ")} without acted`];
    yield [now.mode !== IDLE, "turn.mode: nothing has been done in this turn"];
    yield [now.actor !== now.to_move, "turn.actor: the seat to move begins its turn"];
    return;
  }
  yield* played(now, rules);
  yield* builds(now, rules);
  const captured = rules.chain === "no" && rules.capture_tops; // piles that have given a card to a capture count as well
  yield [now.stolen && rules.steal === "no" && !captured, "turn.stolen: nothing is stolen in this game"];
  yield [now.last_source >= 0 && rules.steal === "no", "turn.last_source: nothing is stolen in this game"];
  if (now.mode === IDLE) {
    const rest = openFields(now);
    yield [rest.length, `turn: ${rest.join(", ")} without an open action (mode)`];
    yield [now.actor !== now.to_move, "turn.actor: the seat to move goes on with its turn"];
  }
  if (now.mode === SORTING) yield* sorting(now, rules);
}

/** What only a hand card brings about. @param {Fields} now @param {Rules} rules @returns {Iterable<Row>} */
function* played(now, rules) {
  const early = ["play_value", "joined", "merged", "no_new_build", "must_add"].filter((name) => now[name]);
  if (now.laid_now >= 0) early.push("laid_now");
  yield [early.length && !now.played, `turn: ${early.join(", ")} without played`];
  yield [now.play_value && rules.tableBuilds, "turn.play_value: this game has none"];
  yield [now.must_add && rules.insist_augment !== "ask", "turn.must_add: nobody is asked in this game"];
  yield [now.no_new_build && now.laid_now < 0, "turn.no_new_build: without a discard (laid_now)"];
  if (now.laid_now >= 0) {
    const lying = [now.layout, ...now.build_cards].reduce(union);
    yield [!hasCard(lying, now.laid_now), `turn.laid_now: ${cardName(now.laid_now)} lies neither in the layout nor in a build`];
  }
}

/** The builds that a turn speaks of stand, and belong to whom they should. @param {Fields} now @param {Rules} rules @returns {Iterable<Row>} */
function* builds(now, rules) {
  const mover = now.to_move;
  /** @type {Map<number, number>} */
  const owners = new Map();
  for (let seat = 0; seat < rules.players; seat++) {
    for (let value = 1; value < 15; value++) if ((now.owned[seat] >> value) & 1) owners.set(value, seat);
  }
  for (const name of ["play_value", "debt", "unfinished", "joined", "raising"]) {
    yield [now[name] && !owners.has(now[name]), `turn.${name}: there is no build of ${now[name]}`];
  }
  const ownerOf = (/** @type {string} */ name) => owners.get(now[name]);
  const [debt, joined, unfinished] = [ownerOf("debt"), ownerOf("joined"), ownerOf("unfinished")];
  if (debt !== undefined) {
    // Whoever has no card for its build, and nothing else to do, discards and owes on (engine/legal.py).
    const holds = cardsOf(cards(now.hands[now.to_move])).some((card) => card >> 2 === (now.debt - 1) % 13);
    yield [now.played && holds, "turn.debt: the hand card that could pay it is played"];
    if (rules.steal === "bound") yield [debt !== mover, `turn.debt: the build of ${now.debt} is not seat ${mover}'s own`];
    else {
      yield [rules.side(debt) === rules.side(mover), `turn.debt: the build of ${now.debt} is no opponent's`];
      yield [rules.steal !== "augment", "turn.debt: opponents' builds are not added to in this game"];
    }
  }
  if (joined !== undefined) yield [joined !== mover, `turn.joined: the build of ${now.joined} is not seat ${mover}'s own`];
  if (unfinished !== undefined) {
    yield [rules.side(unfinished) !== rules.side(mover), `turn.unfinished: the build of ${now.unfinished} is not its side's`];
  }
}

/** The captured cards on their way to the pile. @param {Fields} now @param {Rules} rules @returns {Iterable<Row>} */
function* sorting(now, rules) {
  yield [rules.pile_order !== "ask", "turn.mode: piles are not sorted by hand in this game"];
  yield [!now.required, "turn.required: cards to sort are missing"];
  yield [now.hand_card < 0, "turn.hand_card: the capturing card is missing"];
  yield [!now.played || now.last_capture !== now.to_move, "turn.mode: nothing has been captured"];
  const rest = openFields(now).filter((name) => !["required", "hand_card", "picked"].includes(name));
  yield [rest.length, `turn: ${rest.join(", ")} while cards are sorted`];
  yield [now.actor !== now.to_move, "turn.actor: the seat to move sorts its cards"];
  let top = now.pile_top[rules.shared_pile ? now.to_move % 2 : now.to_move];
  const sorted = [];
  for (let count = countOf(cards(now.picked)); count > 0 && top >= 0; count--) {
    sorted.push(top);
    top = now.below[top];
  }
  yield [maskOf(sorted) !== now.picked, "turn.picked: these cards do not lie on top of the pile"];
}

// --- the open action -----------------------------------------------------------------------------------------------

/** There is something to do, and what is open can have come about; fails otherwise. @param {Values} record @param {Rules} rules */
export function proveAction(record, rules) {
  const now = fieldsOf(record);
  const { IDLE, SORTING, OVER } = stateNumbers();
  if (![IDLE, SORTING, OVER].includes(now.mode) && !comesAbout(record, rules, now)) {
    throw new Error(`turn: nothing that seat ${now.to_move} could begin leads to this open action`);
  }
  if (now.mode !== OVER && !actionsOf(legal(record, rules)).length) {
    throw new Error(`to_move: seat ${now.to_move} has no legal action, although the game is not over`);
  }
  if (now.mode !== OVER && (now.unfinished || now.debt || now.must_add) && leadsNowhere(record, rules)) {
    throw new Error(`turn: what seat ${now.to_move} owes in it cannot be done`);
  }
}

/** Whether the turn comes to where nothing is legal, soon: no turn that was begun by the rules does. */
/** @param {Values} record @param {Rules} rules */
function leadsNowhere(record, rules) {
  const waiting = [record], seen = new Set([keyOf(record)]);
  for (const here of waiting) {
    const actions = actionsOf(legal(here, rules));
    if (!actions.length) return true;
    for (const action of actions) {
      const after = here.clone();
      act(after, rules, action);
      const key = keyOf(after);
      const sameTurn = after.get(0, "mode") !== stateNumbers().OVER && after.get(0, "turns") === record.get(0, "turns");
      if (sameTurn && seen.size < constant("_AHEAD") && !seen.has(key)) {
        seen.add(key);
        waiting.push(after);
      }
    }
  }
  return false;
}

/** Whether the open action is found by doing what its fields name, from where nothing was open. */
/** @param {Values} record @param {Rules} rules @param {Fields} now */
function comesAbout(record, rules, now) {
  const { IDLE, SORTING, OVER } = stateNumbers();
  const wanted = keyOf(record);
  const names = named(now).reverse();
  const first = closed(record);
  const stack = [first];
  const seen = new Set([keyOf(first)]);
  while (stack.length && seen.size < constant("_TRIES")) {
    const here = /** @type {Values} */ (stack.pop());
    const set = legal(here, rules);
    for (const action of names) {
      if (!allows(set, action)) continue;
      const after = here.clone();
      act(after, rules, action);
      const key = keyOf(after);
      if (key === wanted) return true;
      if (!seen.has(key) && ![IDLE, SORTING, OVER].includes(after.get(0, "mode"))) {
        seen.add(key);
        stack.push(after);
      }
    }
  }
  return false;
}

/** The same turn with nothing open. @param {Values} record */
function closed(record) {
  const first = record.clone();
  for (const [name, none] of Object.entries(constant("OPEN"))) first.set(0, name, none);
  first.list(0, "open_cards").forEach((_, i) => first.set(0, "open_cards", 0, i));
  first.set(0, "mode", stateNumbers().IDLE);
  first.set(0, "actor", first.get(0, "to_move"));
  return first;
}

/** What is a card in a word that may have more. @param {number | bigint} word */
function cards(word) {
  return typeof word === "number" && word >= 0 && word < 2 ** CARDS ? word : Number(BigInt.asUintN(CARDS, BigInt(word)));
}

/** The actions that an open action may have come about by. @param {Fields} now @returns {number[]} */
function named(now) {
  const { open_value: value, hand_card: card } = now;
  const actions = now.raising ? [RAISE + now.raising - 1] : [];
  if (value) actions.push(BUILD + value - 1);
  if (card >= 0) actions.push(CAPTURE + card, DISCARD + card);
  if (card >= 0 && card < 4) actions.push(CAPTURE_HIGH + card);
  const opened = now.open_cards.slice(0, now.open_count);
  const picked = cardsOf(union(cards(now.picked), cards(now.required))).reverse();
  return [...actions, ...opened, ...picked.filter((other) => !opened.includes(other)), END, YES, NO];
}
