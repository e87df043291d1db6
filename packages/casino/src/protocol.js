/** The engine protocol (docs/protocol.md): one request, one reply, as plain data or as lines of JSON. */

import { actionText, parseAction } from "./game/actions.js";
import { agents, makeAgent, parametersOf, policies } from "./agents/registry.js";
import { hasLearnt } from "./game/beliefs.js";
import { checkedSeed, Game, IllegalActionError } from "./game/game.js";
import { use } from "./kernels/kernels.js";
import { nextView, ToldError } from "./game/next_view.js";
import { turnText } from "./game/notation.js";
import { NoDeterminizationError, observe } from "./game/observed.js";
import { PositionError } from "./game/position.js";
import { dumps } from "./game/record.js";
import { makeRules, playerCounts, variants } from "./game/rules.js";
import { resultKey, resultsOf, TooManyTurnsError } from "./game/turns.js";
import { closest, floatIn, intIn, isObject, ofKind, oneLine, parseJson, shortRepr } from "./game/validate.js";
import { gameOf, viewOf } from "./game/views.js";

/** @typedef {import("./agents/base.js").Agent} Agent */
/** @typedef {import("./game/observed.js").Memory} Memory */
/** @typedef {Record<string, any>} Data */
/** @typedef {{ actions: number[], chance: number }} Turn */
/** @typedef {{ seat: number, action: number, probabilities: Map<number, number>, value: number | null }} Answer */

export const PROTOCOL = 1;
export const MAX_LINE = 1 << 20; // bytes of a request
const LONGEST_ID = 1000; // characters of an id, as JSON
const DECISIONS = 40; // that an agent is asked for to answer once: the likeliest ways first
const LEAST = 0.001; // ways less likely than this are not followed

/** A request that is not granted; the game is as it was. */
class RequestError extends Error {
  /** @param {string} code @param {string} message */
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** By an error that somebody meant to be read the request is at fault, others are of this program. @param {unknown} error */
function isMeant(error) {
  const kinds = [IllegalActionError, NoDeterminizationError, PositionError, TooManyTurnsError];
  return error instanceof Error && (error.constructor === Error || kinds.some((kind) => error instanceof kind));
}

/**
 * By an error the request is at fault, and this is the code for it.
 * @template T
 * @param {string} code
 * @param {() => T} what
 * @param {(error: unknown) => boolean} [which]
 * @returns {T}
 */
function refusedAs(code, what, which = isMeant) {
  const refuse = (/** @type {unknown} */ error) => {
    throw error instanceof RequestError || !which(error) ? error : new RequestError(code, oneLine(error));
  };
  try {
    const found = what();
    return found instanceof Promise ? /** @type {T} */ (found.catch(refuse)) : found;
  } catch (error) {
    return refuse(error);
  }
}

/**
 * One conversation: a current game, and the agent that answers `move`. allowed: specs that a request may name as its
 * agent; without it any. seconds, simulations: the most that a move may take.
 */
export class Session {
  /** @type {Game | null} */
  #game = null;
  /** @type {{ spec: string, agent: Agent } | null} */
  #known = null;
  finished = false;

  /** @param {string} agent @param {{ allowed?: string[], seconds?: number, simulations?: number }} [limits] */
  constructor(agent, { allowed, seconds, simulations } = {}) {
    const most = use().facts.constants["agents.search.search_settings"];
    this.spec = agent;
    this.allowed = allowed;
    this.seconds = seconds ?? most.MOST_SECONDS;
    this.simulations = simulations ?? most.MOST_SIMS;
  }

  /** The reply to a request as text. @param {string} line @returns {Promise<Data>} */
  async replyToLine(line) {
    if (line.length > MAX_LINE) return refusal(null, "malformed", `a request has at most ${MAX_LINE} bytes`);
    try {
      return await this.reply(parseJson(line, "not JSON"));
    } catch (error) {
      return refusal(null, "malformed", oneLine(error));
    }
  }

  /** The reply to a request as data; whatever is wrong with it is told in the reply. @param {any} request @returns {Promise<Data>} */
  async reply(request) {
    if (!isObject(request)) return refusal(null, "malformed", "a request is a JSON object");
    const id = request.id ?? null;
    if (dumps(id).length > LONGEST_ID) return refusal(null, "malformed", `id must be JSON of at most ${LONGEST_ID} characters`);
    try {
      const name = request.do;
      const names = Object.keys(REQUESTS);
      if (typeof name !== "string" || !names.includes(name)) {
        throw new RequestError("unknown", `do = ${shortRepr(name ?? null)}${closest(name, names)}; it must be one of ${names.join(", ")}`);
      }
      const [answer, keys] = REQUESTS[name];
      const unknown = Object.keys(request).find((key) => !["id", "do", ...keys].includes(key));
      if (unknown !== undefined) throw new RequestError("malformed", `unknown key ${shortRepr(unknown)}${closest(unknown, keys)}`);
      return { id, ok: true, ...(await answer(this, request)) };
    } catch (error) {
      if (error instanceof RequestError) return refusal(id, error.code, error.message);
      return refusal(id, "internal", oneLine(error));
    }
  }

  close() {
    this.#known?.agent.close();
    this.#known = null;
  }

  // --- what can be asked ---

  async hello() {
    const numbers = use().facts.constants;
    const trained = Object.entries(policies().listed).map(([name, { level, games }]) => [`policy:${name}`, { level, games }]);
    return {
      protocol: PROTOCOL,
      name: "casino-env",
      agent: this.spec,
      rules_version: numbers.rules.RULES_VERSION,
      actions_version: numbers.actions.ACTIONS_VERSION,
      variants: Object.fromEntries(Object.keys(variants()).map((name) => [name, playerCounts(name)])),
      agents: this.allowed ?? Object.keys(agents()),
      policies: this.allowed ? [] : Object.keys(policies().listed),
      trained: Object.fromEntries(trained.filter(([spec]) => !this.allowed || this.allowed.includes(String(spec)))),
      requests: Object.keys(REQUESTS),
      seconds: await secondsOf(await this.agent({})),
    };
  }

  /** @param {Data} request */
  new(request) {
    const [variant, players] = [get(request, "variant", "text", "south-african"), get(request, "players", "int", 2)];
    const [changes, match, seed] = [get(request, "rules", "dict", {}), get(request, "match", "bool", false), get(request, "seed", "int", 0)];
    this.#game = refusedAs("rules", () => new Game(makeRules(variant, players, changes), players, checkedSeed(seed), { match }));
    return this.state();
  }

  /** @param {Data} request */
  position(request) {
    this.#game = readPosition(request.position);
    return this.state();
  }

  /** @param {Data} request */
  apply(request) {
    if (Object.hasOwn(request, "view")) return this.applyToView(request);
    if (Object.hasOwn(request, "told")) {
      throw new RequestError("malformed", "told: it goes with a view; whoever has the position knows all cards");
    }
    const { game } = this.need(request);
    const action = get(request, "action", "text", "");
    refusedAs("malformed", () => refusedAs("illegal", () => game.apply(action), (error) => error instanceof IllegalActionError));
    this.#game = game;
    return this.state();
  }

  /** The current game stays as it is. @param {Data} request */
  applyToView(request) {
    if (Object.hasOwn(request, "position")) throw new RequestError("malformed", "give a position or a view, not both");
    const action = get(request, "action", "text", "");
    refusedAs("malformed", () => parseAction(action));
    const told = (/** @type {unknown} */ error) => error instanceof ToldError;
    const illegal = (/** @type {unknown} */ error) => error instanceof IllegalActionError;
    const step = refusedAs("position", () =>
      refusedAs("told", () => refusedAs("illegal", () => nextView(request.view, action, request.told ?? {}), illegal), told),
    );
    return { seat: step.seat, over: step.over, legal: step.legal.map(actionText), ...pointsOf(step.game), view: step.view };
  }

  /** @param {Data} request */
  see(request) {
    const { game } = this.need(request);
    const seat = refusedAs("malformed", () => intIn(request.seat ?? game.seat, "seat", 0, game.rules.players - 1));
    return { view: viewOf(game, seat) };
  }

  /** @param {Data} request */
  turns(request) {
    const { game } = this.toDecide(request);
    const found = refusedAs("crowded", () => resultsOf(game));
    return { seat: game.seat, turns: found.map(({ actions }) => asData(game, actions)) };
  }

  /** @param {Data} request */
  async move(request) {
    const { game, found } = await this.decided(request);
    return {
      seat: found.seat,
      action: actionText(found.action),
      notation: turnText(game.record, game.rules, withForced(game, [found.action])) || actionText(found.action),
      probabilities: Object.fromEntries([...found.probabilities].map(([action, share]) => [actionText(action), share])),
      value: found.value,
    };
  }

  /** @param {Data} request */
  async advise(request) {
    const { game, found, memory } = await this.decided(request);
    const turns = await chancesOf(await this.agent(request), game, memory);
    const chosen = turns.find(({ actions }) => actions[0] === found.action) ?? { actions: [found.action] };
    return {
      seat: found.seat,
      action: actionText(found.action),
      ...asData(game, chosen.actions),
      value: found.value,
      turns: turns.map(({ actions, chance }) => ({ ...asData(game, actions), chance })),
    };
  }

  quit() {
    this.finished = true;
    return {};
  }

  // --- parts ---

  /** The game of the position or the view in a request, else the current one; what is remembered. */
  /** @param {Data} request @returns {{ game: Game, memory: Memory }} */
  need(request) {
    if (Object.hasOwn(request, "position") && Object.hasOwn(request, "view")) {
      throw new RequestError("malformed", "give a position or a view, not both");
    }
    if (Object.hasOwn(request, "position")) return { game: readPosition(request.position), memory: "perfect" };
    if (Object.hasOwn(request, "view")) {
      const { game, seat, memory } = refusedAs("position", () => gameOf(request.view));
      if (!game.over && game.seat !== seat) {
        throw new RequestError("position", `seat ${game.seat} decides now, and the view is of seat ${seat}`);
      }
      return { game, memory };
    }
    if (!this.#game) throw new RequestError("no game", "there is no game: begin with new or position");
    return { game: this.#game, memory: "perfect" };
  }

  /** The same, if there is something to decide in it. @param {Data} request */
  toDecide(request) {
    const found = this.need(request);
    if (found.game.over) throw new RequestError("over", "the game is over: there is no move");
    if (!found.game.legal().length) {
      throw new RequestError("position", `seat ${found.game.seat} has no legal action: play does not come to this`);
    }
    return found;
  }

  /** What the agent of a request would do. @param {Data} request */
  async decided(request) {
    const { game, memory } = this.toDecide(request);
    const seed = refusedAs("malformed", () => checkedSeed(request.seed ?? 0));
    const agent = await refusedAs("agent", async () => {
      const made = await this.agent(request);
      await made.check?.(game.rules);
      return made;
    });
    const none = (/** @type {unknown} */ error) => error instanceof NoDeterminizationError;
    const found = await refusedAs("position", () => answer(agent, game, seed, memory), none);
    return { game, found, memory };
  }

  state() {
    const game = /** @type {Game} */ (this.#game);
    return { seat: game.seat, over: game.over, legal: game.legal().map(actionText), ...pointsOf(game), position: game.toJson() };
  }

  /** @param {Data} request @returns {Promise<Agent>} */
  async agent(request) {
    const base = get(request, "agent", "text", this.spec);
    if (this.allowed && base !== this.spec && !this.allowed.includes(base)) {
      throw new RequestError("agent", `agent '${base}' is not offered; offered: ${this.allowed.join(", ")}`);
    }
    const [seconds, simulations] = [get(request, "time", "float", null), get(request, "simulations", "int", null)];
    if (seconds !== null && seconds > this.seconds) {
      throw new RequestError("agent", `time = ${shortRepr(seconds)}; here a move takes at most ${this.seconds} seconds`);
    }
    if (simulations !== null && simulations > this.simulations) {
      throw new RequestError("agent", `simulations = ${shortRepr(simulations)}; here they are at most ${this.simulations.toLocaleString("en-US")}`);
    }
    const spec = withBudget(base, seconds, simulations);
    if (this.#known?.spec !== spec) {
      const agent = await makeAgent(spec);
      this.close(); // one at a time: a search holds a good deal of memory
      this.#known = { spec, agent };
    }
    return this.#known.agent;
  }
}

/** What `do` may be, and the keys that go with it. @type {Record<string, [(session: Session, request: Data) => Data | Promise<Data>, string[]]>} */
const REQUESTS = {
  hello: [(session) => session.hello(), []],
  new: [(session, request) => session.new(request), ["variant", "players", "seed", "rules", "match"]],
  position: [(session, request) => session.position(request), ["position"]],
  apply: [(session, request) => session.apply(request), ["action", "position", "view", "told"]],
  see: [(session, request) => session.see(request), ["seat", "position"]],
  turns: [(session, request) => session.turns(request), ["position", "view"]],
  move: [(session, request) => session.move(request), ["agent", "time", "simulations", "seed", "position", "view", "legal"]],
  advise: [(session, request) => session.advise(request), ["agent", "time", "simulations", "seed", "position", "view"]],
  quit: [(session) => session.quit(), []],
};

/** @param {unknown} id @param {string} error @param {string} message */
function refusal(id, error, message) {
  return { id, ok: false, error, message };
}

/**
 * @param {Data} request
 * @param {string} key
 * @param {keyof import("./game/validate.js").Kinds} kind
 * @param {any} otherwise
 * @returns {any}
 */
function get(request, key, kind, otherwise) {
  return Object.hasOwn(request, key) ? refusedAs("malformed", () => ofKind(request[key], key, kind)) : otherwise;
}

/** Nothing of a game whose piles are not known. @param {Game | null} game */
function pointsOf(game) {
  if (!game) return {};
  const { rules, winner } = game;
  const seats = Array.from({ length: rules.players }, (_, seat) => seat);
  return { scores: game.scores(), breakdown: game.breakdown(), winners: seats.filter((seat) => winner === rules.side(seat)) };
}

/** @param {unknown} data */
function readPosition(data) {
  return refusedAs("position", () => Game.fromJson(ofKind(data ?? null, "position", "dict")));
}

// --- what an agent says ----------------------------------------------------------------------------------------------

/** What the agent would do now; it sees what the seat that decides may know. */
/** @param {Agent} agent @param {Game} game @param {number | bigint} seed @param {Memory} memory @returns {Promise<Answer>} */
async function answer(agent, game, seed, memory) {
  await agent.reset(game.seat, seed);
  const seen = observe(game, undefined, { memory });
  const { action, chances, value } = await agent.analyse(seen);
  const probabilities = new Map(seen.legal().map((each) => [each, chances[each]]));
  if (!probabilities.has(action)) throw new Error(`the agent chose action ${action}, which is illegal`);
  return { seat: game.seat, action, probabilities, value };
}

/** How long an agent takes for a decision in the middle of a deal, of a game that it plays. @param {Agent} agent */
async function secondsOf(agent) {
  for (const name of Object.keys(variants())) {
    for (const players of playerCounts(name)) {
      const rules = makeRules(name, players);
      try {
        await agent.check?.(rules);
      } catch {
        continue;
      }
      const game = new Game(rules, players, 1);
      for (let i = 0; i < 8; i++) game.apply(game.legal()[0]);
      await answer(agent, game, 0, "perfect"); // whatever has to be loaded
      const began = performance.now();
      await answer(agent, game, 0, "perfect");
      return Math.round(10 * (performance.now() - began)) / 10_000;
    }
  }
  return 0;
}

/** @param {Game} game @param {number[]} actions */
function asData(game, actions) {
  return { text: turnText(game.record, game.rules, actions), actions: actions.map(actionText) };
}

/**
 * The turn with the actions that the game plays by itself in between, up to its last own one. What follows from a card
 * that the seat uncovers is left out.
 * @param {Game} game
 * @param {number[]} actions
 */
export function withForced(game, actions) {
  const ahead = game.clone();
  const begun = ahead.log.length;
  for (const action of actions) ahead.apply(action);
  const log = ahead.log.slice(begun);
  const later = log.findIndex(([seat, , begins], number) => number > 0 && (begins || seat !== game.seat));
  const turn = log.slice(0, later < 0 ? log.length : later).map(([, action]) => action);
  if (!hasLearnt(game, turn, game.seat)) return turn;
  const count = turn.findIndex((_, number) => hasLearnt(game, turn.slice(0, number + 1), game.seat));
  return turn.slice(0, count + 1);
}

/** The legal turns, the likeliest first; on a table with too many those alone that the agent may play. */
/** @param {Agent} agent @param {Game} game @param {Memory} memory @returns {Promise<Turn[]>} */
async function chancesOf(agent, game, memory) {
  const liked = await followed(agent, game, memory);
  /** @type {Map<bigint, Turn>} */
  const known = new Map();
  try {
    for (const { key, actions } of resultsOf(game)) known.set(BigInt(key), { actions, chance: 0 });
  } catch (error) {
    if (!(error instanceof TooManyTurnsError)) throw error;
  }
  for (const [key, turn] of liked) known.set(key, turn);
  return [...known.values()].sort((one, two) => two.chance - one.chance);
}

/** By result: how likely the agent's own actions lead there, until somebody else decides or the turn is over. */
/** @param {Agent} agent @param {Game} game @param {Memory} memory @returns {Promise<Map<bigint, Turn>>} */
async function followed(agent, game, memory) {
  const ahead = game.clone();
  ahead.skipForced = false; // what follows by itself belongs to the turn, but not what the next seat is forced to
  const begun = moment(game);
  const ways = [{ game: ahead, actions: /** @type {number[]} */ ([]), chance: 1 }];
  /** @type {Map<bigint, Turn>} */
  const found = new Map();
  for (let asked = 0; ways.length && asked < DECISIONS; ) {
    const way = ways.reduce((best, each) => (each.chance > best.chance ? each : best));
    ways.splice(ways.indexOf(way), 1);
    if (moment(way.game) !== begun) {
      const key = resultKey(way.game.record, game.rules);
      const before = found.get(key) ?? { actions: way.actions, chance: 0 };
      found.set(key, { actions: before.actions, chance: before.chance + way.chance });
      continue;
    }
    const legal = way.game.legal();
    /** @type {Float64Array | null} */
    let chances = null;
    if (legal.length > 1) {
      asked++;
      chances = (await agent.analyse(observe(way.game, undefined, { memory }))).chances;
    }
    for (const action of legal) {
      const chance = way.chance * (chances ? chances[action] : 1);
      if (legal.length > 1 && chance < LEAST) continue;
      const after = way.game.clone();
      after.apply(action);
      ways.push({ game: after, actions: [...way.actions, action], chance });
    }
  }
  return found;
}

/** Who decides, and in which turn. @param {Game} game */
function moment(game) {
  return [game.seat, game.over, game.record.get(0, "turns"), game.record.get(0, "deals")].join();
}

/** The spec with a budget for each decision; agents that cannot use it stay as they are. */
/** @param {string} spec @param {number | null} seconds @param {number | null} simulations */
function withBudget(spec, seconds, simulations) {
  if (seconds === null && simulations === null) return spec;
  const { MOST_SECONDS, MOST_SIMS } = use().facts.constants["agents.search.search_settings"];
  if (seconds !== null && simulations !== null) throw new Error("give a budget of time or of simulations, not both");
  if (seconds !== null) floatIn(seconds, "time", 0, MOST_SECONDS, true);
  if (simulations !== null) intIn(simulations, "simulations", 1, MOST_SIMS);
  const [name, rest = ""] = spec.split(/:(.*)/s);
  const known = Object.keys(parametersOf(name));
  const [key, value] = seconds !== null ? ["time", String(seconds)] : ["sims", String(simulations)];
  if (!Object.hasOwn(agents(), name) || !known.includes(key)) return spec;
  const items = rest.split(",").filter(Boolean).map((item) => (item.includes("=") ? item : `${known[0]}=${item}`));
  const kept = items.filter((item) => !["time", "sims"].includes(item.split("=")[0]));
  return `${name}:${[...kept, `${key}=${value}`].join(",")}`;
}
