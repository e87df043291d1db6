/** Find policies by name (`policy:khasino-2` needs no path) and read their files on first use. */

import { ACTIONS } from "../game/actions.js";
import { closest, isObject, oneLine, shortRepr, within } from "../game/validate.js";
import { addressOf, readBytes } from "../kernels/kernels.js";
import { once } from "./base.js";
import { readDescription, readWeights, Shape } from "./files.js";
import { fits, makeLayout } from "./layout.js";
import { rulesOf } from "../game/rules.js";

/** @import { Kernels } from "../kernels/kernels.js" */
/** @import { PlaySettings } from "./files.js" */
/** @import { Rules } from "../game/rules.js" */
/** @typedef {(file: string) => Promise<Uint8Array>} Reader returns the bytes of a file in the folder of policies */
/** @typedef {{ json: string | URL, safetensors: string | URL }} Files addresses of the two files of a policy */

/**
 * An entry in the list of policies, known before its files are read.
 *
 * @typedef {object} Listed
 * @property {string} level "best", or the name of a weaker level
 * @property {string} of the policy that has this level, or its own name
 * @property {{ variant: string, players: number, rules: Record<string, any> }[]} games that it has learnt
 */

/**
 * The weights of a network and the game that they are for.
 *
 * @typedef {object} Weights
 * @property {string} name
 * @property {Rules} rules the first game that it was trained for
 * @property {import("./layout.js").Layout} layout of its observation
 * @property {boolean} match whether its observation has the score of the match
 * @property {import("./files.js").Shape} shape
 * @property {Float32Array} theta flat array of all weights
 * @property {number} valueScale points per unit of its value
 * @property {PlaySettings} play default play settings
 */

/** Policies by name. Weights are read once and shared by all agents. */
export class Policies {
  /** @type {Map<string, Promise<Weights>>} */
  #known = new Map();
  /** @type {Map<string, string> | null} */
  #strongest = null;

  /** @param {Kernels} kernels @param {string | URL | Reader | Record<string, Files>} source */
  constructor(kernels, source) {
    const shipped = /** @type {Record<string, Listed>} */ (kernels.facts.policies);
    this.kernels = kernels;
    /** The available policies by name. @type {Record<string, Listed>} */
    this.listed = shipped;
    if (isObject(source) && !(source instanceof URL)) {
      const own = Object.keys(source).map((name) => [name, { level: "best", of: name, games: [] }]);
      const levels = Object.entries(shipped).filter(([, { of }]) => of in source);
      this.listed = Object.fromEntries([...own, ...levels]);
    }
    this.read = typeof source === "function" ? source : reader(source);
  }

  /** Load a listed policy by name, or a packed one (`casino agents pack`) by its address, which may be relative to the
   * folder. @param {string} name @returns {Promise<Weights>} */
  load(name) {
    if (name.endsWith(this.kernels.constant("agents.policy.policy_files", "PACKED")))
      return once(this.#known, name, () => this.#loadPacked(name));
    const known = Object.keys(this.listed);
    if (!known.includes(name)) {
      const near = closest(name, known),
        others = `; a file of your own must be called ${name}.policy; known: ${known.join(", ")}`;
      return Promise.reject(new Error(`unknown policy '${name}'${near || others}`));
    }
    return once(this.#known, name, () => this.#load(name));
  }

  /** @param {string} name */
  async #load(name) {
    const { of, level } = this.listed[name], file = `${of}.safetensors`;
    const about = readDescription(await this.#bytes(`${of}.json`), `${of}.json`, this.kernels);
    if (of !== name && !(level in about.levels)) throw new Error(`${of}.json: has no level ${level}`);
    const play = { ...about.play, ...about.levels[level]?.play };
    return weightsOf(this.kernels, name, { ...about, play }, await this.#bytes(file), file);
  }

  /** @param {string} file */
  async #loadPacked(file) {
    const bytes = await this.#bytes(file), end = bytes.indexOf(10);  // the description is the first line
    const about = readDescription(bytes.subarray(0, end), file, this.kernels);
    return weightsOf(this.kernels, file, about, bytes.slice(end + 1), file);
  }

  /** @param {string} file */
  #bytes(file) {
    return this.read(file).catch((error) => {
      throw new Error(`${file}: cannot be read (${oneLine(error)})`, { cause: error });
    });
  }

  /** The name of the best available policy for a game; null: none has learnt it. @param {Rules} rules */
  strongest(rules) {
    this.#strongest ??= new Map(this.kernels.facts.strongest.filter(({ policy }) => policy in this.listed)
      .map(({ variant, players, rules: changes, policy }) => [rulesOf(variant, players, changes).key, policy]));
    return this.#strongest.get(rules.key) ?? null;
  }
}

/** @param {string | URL | Record<string, Files>} source @returns {Reader} */
function reader(source) {
  if (typeof source === "string" || source instanceof URL) {
    const folder = addressOf(source);
    folder.pathname = folder.pathname.replace(/\/?$/, "/");
    return (file) => readBytes(new URL(file, folder));
  }
  if (!isObject(source))
    throw new Error(`policies = ${shortRepr(source)}; it must be an address, a function or files by name`);
  return async (file) => {
    const [, name, kind] = file.match(/^(.*)\.(json|safetensors)$/) ?? [];
    const place = kind ? source[name][/** @type {"json" | "safetensors"} */ (kind)] : file;
    if (!place) throw new Error("no address");
    return readBytes(place);
  };
}

/** Read the weights that a description belongs to. @param {Kernels} kernels @param {string} name
 * @param {import("./files.js").Description} about @param {Uint8Array} bytes @param {string} file @returns {Weights} */
export function weightsOf(kernels, name, about, bytes, file) {
  const games = [about, ...(about.config?.game?.others ?? [])];
  const [rules] = within(`${name}: not a known game`, () =>
    games.map((one) => rulesOf(one.variant, one.players, one.rules)));
  const { match } = about;
  const layout = makeLayout(kernels, rules, { universal: about.layout === "universal", match });
  if (!fits(kernels, layout, about.features))
    throw new Error(
      `${name}: its ${about.features.size} features do not stand where the ${layout.size} of today stand; train it again`,
    );
  const values = about.values ?? (rules.sides === 2 ? 1 : rules.sides);
  const shape = new Shape(layout.size, about.hidden, values, about.network === "actions" ? ACTIONS : 0);
  const theta = readWeights(bytes, file, about, shape, kernels);
  return { name, rules, layout, match, shape, theta, valueScale: about.value_scale, play: about.play };
}
