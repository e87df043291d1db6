// Validate the setup of a game, from a dialog, a saved game or a pasted position, and begin the game.

import { Game, MAX_SEED } from "../casino/src/game/game.js";
import { rulesOf } from "../casino/src/game/rules.js";
import { refusal } from "../words/about.js";
import { isObject, oneLine } from "../casino/src/game/validate.js";
import { en } from "../languages/en.js";
import { Speaker, say, textOf } from "../words/message.js";
import { PERSON } from "../words/names.js";

/** @import { Rules } from "../casino/src/game/rules.js" */
/** @import { Setup } from "./shapes.js" */

const MOST_TEXT = 16_384; // characters of a setup as JSON
const MOST_SEATS = 6;

/** @type {{ [key: string]: (value: any) => boolean }} */
const KINDS = {
  variant: (value) => typeof value === "string",
  players: Number.isInteger,
  seats: (value) => Array.isArray(value) && value.length <= MOST_SEATS
    && value.every((seat) => typeof seat === "string"),
  seed: (value) =>
    typeof value === "number"
      ? Number.isSafeInteger(value) && value >= 0
      : typeof value === "string" && /^\d{1,20}$/.test(value) && BigInt(value) <= MAX_SEED,
  rules: isObject,
  match: (value) => typeof value === "boolean",
  position: (value) => value === null || isObject(value),
};

/** @param {any} data @returns {Setup} */
export function makeSetup(data) {
  if (!isObject(data) || !("variant" in data) || !("seats" in data)) throw new TableError("error.setup");
  for (const [key, value] of Object.entries(data)) {
    if (!Object.hasOwn(KINDS, key)) throw new TableError("error.key", { key: key.slice(0, 60) });
    if (!KINDS[key](value)) throw key === "seed" ? new TableError("error.seed") : new TableError("error.kind", { key });
  }
  const { variant, seats, players = seats.length, seed = 0, rules = {}, match = false, position = null } = data;
  if (seats.length !== players) throw new TableError("error.seats", { given: seats.length, players });
  if (seats.filter((/** @type {string} */ seat) => seat === PERSON).length !== 1) throw new TableError("error.person");
  const setup = { variant, players, seats: [...seats], seed, rules, match, position };
  if (JSON.stringify(setup).length > MOST_TEXT) throw new TableError("error.long", { most: MOST_TEXT });
  return JSON.parse(JSON.stringify(setup));
}

/** @param {Setup} setup @returns {Rules} */
export function setupRules(setup) {
  try {
    return rulesOf(setup.variant, setup.players, setup.rules);
  } catch (error) {
    throw new TableError("error.other", { why: refusal(error, setup.rules, Object.keys(setup.rules)) }, error);
  }
}

/** @param {Setup} setup @returns {Game} */
export function begin(setup) {
  if (setup.position !== null) {
    const game = inWords("error.position", () => Game.fromJson(setup.position, { skipForced: false }));
    if (game.rules.players !== setup.players)
      throw new TableError("error.players", { players: game.rules.players, seats: setup.players });
    return game;
  }
  const rules = setupRules(setup), seed = typeof setup.seed === "string" ? BigInt(setup.seed) : setup.seed;
  return new Game(rules, rules.players, seed, { match: setup.match || rules.match_games > 0, skipForced: false });
}

/** The setup for a pasted position: its variant, players and rules, with the given occupants repeated as needed.
 * @param {string | object} pasted Position JSON @param {string[]} [seats] specs, PERSON included @returns {Setup} */
export function setupFromPosition(pasted, seats = [PERSON]) {
  const position = typeof pasted === "string" ? inWords("error.json", () => JSON.parse(pasted)) : pasted;
  const { rules } = inWords("error.position", () => Game.fromJson(position, { skipForced: false }));
  const others = seats.filter((spec) => spec !== PERSON),
    you = Math.min(Math.max(0, seats.indexOf(PERSON)), rules.players - 1);
  const all = Array.from({ length: rules.players }, (_, seat) =>
    seat === you ? PERSON : (others[(seat < you ? seat : seat - 1) % Math.max(1, others.length)] ?? "counter"),
  );
  return makeSetup({
    variant: rules.name,
    players: rules.players,
    seats: all,
    rules: rules.differences(),
    match: Boolean(/** @type {any} */ (position).match),
    position,
  });
}

// --- errors ----------------------------------------------------------------------------------------------------------

const english = new Speaker(en);

/** A request that is impossible; the game is unchanged. `words` is a Message for any language, `message` is English. */
export class TableError extends Error {
  name = "TableError";

  /** @param {string} key @param {{ [name: string]: any }} [args] @param {unknown} [cause] */
  constructor(key, args, cause) {
    super(textOf(english, say(key, args)), { cause });
    this.words = say(key, args);
  }
}

/** Run a function; turn an error of the engine into a TableError. @template T @param {string} key
 * @param {() => T} run @returns {T} */
export function inWords(key, run) {
  try {
    return run();
  } catch (error) {
    if (error instanceof TableError) throw error;
    throw new TableError(key, { why: oneLine(error, 300) }, error);
  }
}

/** The rules with some switches changed; throw if they cannot be played. @param {Rules} rules
 * @param {{ [field: string]: any }} changes */
export function changedRules(rules, changes) {
  const { name, players, ...switches } = Object.fromEntries(Object.entries(rules));
  return rulesOf(name, players, { own: true, ...switches, ...changes });
}
