/** Make agents by name: `counter`, `counter:effort=16`, `policy:khasino-2`, `search:time=0.2`. A spec is a name, then
 * a colon and comma-separated parameters key=value; the first parameter may omit its key. */

import { closest, failing, oneLine, shortRepr } from "../game/validate.js";
import { use } from "../kernels/kernels.js";
import { bot, search, thinkingPolicy } from "./kinds.js";
import { Opened } from "./opened.js";
import { Policies } from "./policies.js";
import { Solved, Strongest } from "./search.js";

/** @import { Kernels } from "../kernels/kernels.js" */
/** @import { Agent } from "./base.js" */

/**
 * An agent's entry in the registry.
 *
 * @typedef {object} Known
 * @property {string} summary
 * @property {string} title its name for players at a card table
 * @property {string} line its description for players, as a predicate: "plays any card at all"
 * @property {boolean} quick it moves within milliseconds
 * @property {string} rung games in which it is on the ladder of bots, each of which beats those before: "all",
 *   "partners" or "cassino"; "": none
 * @property {string[]} offered parameters with which a card table offers it; "": without parameters
 * @property {Record<string, any>} given arguments that the name implies
 */

/** The project's agents by name. @returns {Record<string, Known>} */
export function agents() {
  return use().constant("agents.registry", "AGENTS");
}

/** The specs of the agents that a card table offers. */
export function offered() {
  return Object.entries(agents())
    .flatMap(([name, { offered: told }]) => told.map((each) => (each ? `${name}:${each}` : name)));
}

// --- policies --------------------------------------------------------------------------------------------------------

/** @type {Policies | null} */
let shared = null;

/** Set where policies are read from: a folder, a function that returns a file's bytes, or the addresses of files by
 * policy name, which makes these the only policies. The default is dist/policies/ beside the package.
 * @param {string | URL | import("./policies.js").Reader | Record<string, import("./policies.js").Files>} source */
export function usePolicies(source) {
  shared = new Policies(use(), source);
  return shared;
}

export function policies() {
  return shared?.kernels === use() ? shared : usePolicies(new URL("../../dist/policies/", import.meta.url));
}

// --- agents ----------------------------------------------------------------------------------------------------------

/** Make the agent that a spec names. @param {string} spec @returns {Promise<Agent>} */
export async function makeAgent(spec) {
  const { name, given } = parseSpec(spec);
  return made(name, given).catch(failing(name));
}

/** @param {string} name @param {Record<string, any>} given @returns {Promise<Agent>} */
async function made(name, given) {
  const kernels = use();
  if (name === "policy")
    return new Opened(kernels, await thinkingPolicy(kernels, policies(), /** @type {{ path: string }} */ (given)));
  if (name === "search") return new Opened(kernels, await search(kernels, policies(), given));
  if (name === "strongest") return new Strongest(kernels, policies(), given);
  if (name === "solved") return solved(kernels, given);
  return new Opened(kernels, bot(kernels, name, given.effort));
}

/** @param {Kernels} kernels @param {{ agent?: string, cards?: number }} given */
async function solved(kernels, { agent = "counter", cards }) {
  const inner = await makeAgent(agent).catch((error) => {
    throw new Error(`agent = ${oneLine(error)}`, { cause: error });
  });
  if (inner instanceof Solved) throw new Error(`agent = ${agent}: it already plays endings with the solver`);
  return new Solved(kernels, inner, cards);
}

// --- specs -----------------------------------------------------------------------------------------------------------

/** Parse a spec into a name and parameters. @param {unknown} spec */
export function parseSpec(spec) {
  if (typeof spec !== "string") throw new Error(`an agent must be named by a string, not ${shortRepr(spec)}`);
  const longest = use().constant("agents.registry", "_LONGEST");
  if (spec.length > longest)
    throw new Error(`agent ${shortRepr(spec)} has ${spec.length} characters; a spec has at most ${longest}`);
  const at = spec.indexOf(":"), name = at < 0 ? spec : spec.slice(0, at), rest = at < 0 ? "" : spec.slice(at + 1);
  const known = Object.keys(agents());
  if (!known.includes(name))
    throw new Error(`unknown agent ${shortRepr(name)}${closest(name, known)}; known: ${known.join(", ")}`);
  return { name, given: argumentsOf(name, rest) };
}

/** @param {string} agent @param {string} text */
function argumentsOf(agent, text) {
  const known = use().facts.parameters[agent], keys = Object.keys(known);
  /** @type {Record<string, any>} */
  const found = {};
  (text ? text.split(",") : []).forEach((item, position) => {
    const equals = item.indexOf("=");
    if (equals < 0 && position) throw new Error(`${agent}: ${shortRepr(item)} is not key=value`);
    const key = equals < 0 ? keys[0] : item.slice(0, equals), value = item.slice(equals + 1);
    if (!Object.hasOwn(known, key))
      throw new Error(`${agent}: unknown parameter ${shortRepr(key)}${closest(key, keys)}; known: ${keys.join(", ")}`);
    if (Object.hasOwn(found, key)) throw new Error(`${agent}: parameter '${key}' is given twice`);
    found[key] = valueOf(agent, key, known[key][0], value);
  });
  const needed = keys.find((key) => known[key][1] && !(key in found));
  if (needed) throw new Error(`${agent}: parameter '${needed}' is missing; write ${agent}:${needed}=...`);
  return found;
}

/** @param {string} agent @param {string} key @param {"int" | "float" | "str"} kind @param {string} text */
function valueOf(agent, key, kind, text) {
  if (kind === "str") return text;
  const whole = kind === "int", fits = (whole ? /^\s*[+-]?\d+\s*$/ : /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i)
    .test(text);
  const number = Number(text);
  if (fits && Number.isFinite(number) && (!whole || Number.isSafeInteger(number))) return number;
  throw new Error(`${agent}: ${key} = ${shortRepr(text)}; it must be ${whole ? "a whole number" : "a finite number"}`);
}
