/** Run agents in a worker, so that a page or a program stays responsive and can stop them. They have the same methods
 * as local agents; every answer is a promise. */

import { shown } from "../game/observed.js";
import { isObject } from "../game/validate.js";
import { addressOf, ofNode } from "../kernels/kernels.js";
import { begun } from "./base.js";

/** @import { Advice, Options } from "./analyse.js" */
/** @import { Analysis } from "./base.js" */
/** @import { Observed } from "../game/observed.js" */
/** @import { Rules } from "../game/rules.js" */
/** @typedef {{ variant: string, players: number, changes: Record<string, any> }} SentGame */
/** @typedef {SentGame & { seat: number, view: Uint8Array, legal: number[] }} Sent an observation */
/** @typedef {{ id: number, do: string } & Record<string, any>} Request */
/** @typedef {{ resolve: (value: any) => void, reject: (error: Error) => void, progress?: (done: number) => void }}
 *   Waiting */

/**
 * @typedef {object} Source where the worker finds its files; by default beside the package
 * @property {string | URL | Record<string, import("./policies.js").Files>} [policies] the folder, or files by name
 * @property {string | URL | Uint8Array} [wasm]
 * @property {string | URL | import("../kernels/kernels.js").Facts} [facts]
 */

/** The agents were stopped before they answered. */
export class AbortError extends Error {
  name = "AbortError";
  message = "the agents have been stopped";
}

/** @typedef {{ send(message: Request): void, hold(busy: boolean): void, close(): void }} Line hold: whether calls are
 *   pending, which keeps node alive */

/** Start a worker (browser or node). @param {(message: any) => void} heard @param {(error: Error) => void} failed
 * @returns {Promise<Line>} */
async function opened(heard, failed) {
  if (typeof Worker === "undefined") {
    // execArgv: do not inherit node's options; unref: an idle worker does not keep node alive
    const { Worker: Thread } = await ofNode("worker_threads");
    const file = "./worker.js"; // a variable hides the file from bundlers
    const worker = new Thread(new URL(file, import.meta.url), { execArgv: [] });
    worker.on("message", heard).on("error", failed).unref();
    return { send: (message) => worker.postMessage(message), hold: (busy) => worker[busy ? "ref" : "unref"](),
      close: () => worker.terminate() };
  }
  // one expression: bundlers recognize a worker by this form
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => heard(data);
  worker.onerror = ({ message }) => failed(new Error(message || "the worker cannot be loaded"));
  return { send: (message) => worker.postMessage(message), hold: () => {}, close: () => worker.terminate() };
}

/** Agents and a judge in one worker, which starts at the first call. */
export class RemoteAgents {
  /** @type {Promise<Line> | null} */
  #line = null;
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();
  #next = 0;
  /** Incremented when the worker is abandoned: agents must then be made again. */
  era = 0;
  /** Why the last worker was abandoned. @type {Error} */
  #why = new AbortError();

  /** @param {Source} source */
  constructor(source = {}) {
    this.source = source;
  }

  /** Make the agent that a spec names. @param {string} spec */
  async of(spec) {
    const agent = new RemoteAgent(this, spec);
    await agent.ready();
    return agent;
  }

  /** The judge of turns (agents/analyse.js). */
  judge() {
    return {
      /** @param {Observed} observed @param {Options} [options] @returns {Promise<Advice>} */
      advise: async (observed, options = {}) =>
        ({ ...(await this.ask({ do: "advise", observed: sent(observed), options })), observed }),
    };
  }

  /** Abandon all pending calls, which get an AbortError. The next call starts a new worker. */
  stop() {
    this.#end(new AbortError());
  }

  /** @param {Record<string, any> & { do: string }} request @param {(done: number) => void} [progress]
   * @returns {Promise<any>} */
  async ask(request, progress) {
    const era = this.era, line = await (this.#line ??= this.#open());
    if (era !== this.era) throw this.#why;
    return this.#send(line, request, progress);
  }

  /** @param {Line} line @param {Record<string, any> & { do: string }} request
   * @param {(done: number) => void} [progress] */
  #send(line, request, progress) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      line.send({ id, ...request }); // first: if it throws, no call stays pending
      this.#waiting.set(id, { resolve, reject, progress });
      line.hold(true);
    });
  }

  async #open() {
    const era = this.era, { policies, wasm, facts } = this.source;
    const failed = (/** @type {Error} */ error) => {
      if (era === this.era) this.#end(new Error(`the worker failed: ${error.message}`));
    };
    const line = await opened((message) => this.#hear(line, message), failed);
    if (era !== this.era) {
      line.close();
      throw this.#why;
    }
    const places = { policies: sentFiles(policies), wasm: sentPlace(wasm), facts: sentPlace(facts) };
    const loaded = this.#send(line, { do: "load", ...places });
    loaded.catch(failed);
    return line;
  }

  /** @param {Line} line @param {{ id: number, ok?: boolean, value?: any, error?: string, progress?: number }}
   * message */
  #hear(line, { id, ok, value, error, progress }) {
    const waiting = this.#waiting.get(id);
    if (!waiting) return;
    if (progress !== undefined) return waiting.progress?.(progress);
    this.#waiting.delete(id);
    if (!this.#waiting.size) line.hold(false);
    if (ok) waiting.resolve(value);
    else waiting.reject(new Error(error));
  }

  /** @param {Error} error */
  #end(error) {
    this.era++;
    this.#why = error;
    this.#line?.then((line) => line.close(), () => {});
    this.#line = null;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}

let made = 0;

/** An agent in a worker. After a stop, the next call makes it again; it has then forgotten all that it watched. */
export class RemoteAgent {
  #number = made++;
  /** In which it was made; null: not made. @type {number | null} */
  #era = null;
  /** @type {Promise<unknown>} */
  #ready = Promise.resolve();
  /** @type {[number, number | bigint] | null} */
  #begun = null;
  /** Called now and then with the number of simulations done. @type {((done: number) => void) | undefined} */
  progress;

  /** @param {RemoteAgents} all @param {string} spec */
  constructor(all, spec) {
    this.all = all;
    this.spec = spec;
  }

  /** Wait until the worker has made it; reject if its spec names no agent. */
  ready() {
    if (this.#era !== this.all.era) {
      this.#era = this.all.era;
      this.#ready = this.#make();
      this.#ready.catch(() => (this.#era = null));
    }
    return this.#ready;
  }

  async #make() {
    await this.all.ask({ do: "make", agent: this.#number, spec: this.spec });
    if (this.#begun) await this.#reset(...this.#begun);
  }

  /** @param {number} seat @param {number | bigint} seed */
  async reset(seat, seed) {
    const begins = begun(seat, seed);
    this.#begun = null;
    await this.ready();
    this.#begun = begins;
    await this.#reset(...begins);
  }

  /** @param {number} seat @param {number | bigint} seed */
  #reset(seat, seed) {
    return this.all.ask({ do: "reset", agent: this.#number, seat, seed });
  }

  /** @param {Observed} observed @returns {Promise<number>} */
  act = (observed) => this.#ask("act", { observed: sent(observed) });

  /** @param {Observed} observed @returns {Promise<Analysis>} */
  analyse = (observed) => this.#ask("analyse", { observed: sent(observed) });

  /** @param {Observed} observed @returns {Promise<void>} */
  watch = (observed) => this.#ask("watch", { observed: sent(observed) });

  /** @param {Rules} rules @returns {Promise<void>} */
  check = (rules) => this.#ask("check", { game: gameOf(rules) });

  close() {
    if (this.#era === this.all.era) this.all.ask({ do: "close", agent: this.#number }).catch(() => {});
    this.#era = null;
  }

  /** @param {string} what @param {Record<string, any>} rest */
  async #ask(what, rest) {
    await this.ready();
    return this.all.ask({ do: what, agent: this.#number, ...rest }, (done) => this.progress?.(done));
  }
}

/** Make an address absolute: the worker would resolve it against another base. @param {any} place */
const sentPlace = (place) => (typeof place === "string" || place instanceof URL ? addressOf(place).href : place);

/** @param {Source["policies"]} policies */
function sentFiles(policies) {
  if (!isObject(policies) || policies instanceof URL) return sentPlace(policies);
  return Object.fromEntries(Object.entries(policies).map(([name, { json, safetensors }]) =>
    [name, { json: sentPlace(json), safetensors: sentPlace(safetensors) }]));
}

/** @param {Observed} observed @returns {Sent} */
function sent(observed) {
  const { rules, seat, view } = shown(observed);
  return { ...gameOf(rules), seat, view: view.bytes(0), legal: observed.legal() };
}

/** @param {Rules} rules @returns {SentGame} */
function gameOf(rules) {
  return { variant: rules.name, players: rules.players, changes: rules.differences() };
}
