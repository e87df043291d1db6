/** Agents in a worker: a page or a program goes on while they think, and may stop them. They are asked as agents are
 * that sit here; all their answers are promises. */

import { shown } from "../game/observed.js";
import { isObject } from "../game/validate.js";
import { addressOf, ofNode } from "../kernels/kernels.js";
import { begun } from "./base.js";

/** @import { Advice, Options } from "./analyse.js" */
/** @import { Analysis } from "./base.js" */
/** @import { Observed } from "../game/observed.js" */
/** @import { Rules } from "../game/rules.js" */
/** @typedef {{ variant: string, players: number, changes: Record<string, any> }} SentGame */
/** @typedef {SentGame & { seat: number, view: Uint8Array, legal: number[] }} Sent what a seat may know */
/** @typedef {{ id: number, do: string } & Record<string, any>} Request */
/** @typedef {{ resolve: (value: any) => void, reject: (error: Error) => void, progress?: (done: number) => void }}
 *   Waiting */

/**
 * @typedef {object} Source where the worker finds what it needs; what is left out lies beside the package
 * @property {string | URL | Record<string, import("./policies.js").Files>} [policies] the folder, or files by name
 * @property {string | URL | Uint8Array} [wasm]
 * @property {string | URL | import("../kernels/kernels.js").Facts} [facts]
 */

/** Whatever was being thought about has been given up. */
export class AbortError extends Error {
  name = "AbortError";
  message = "the agents have been stopped";
}

/** @typedef {{ send(message: Request): void, hold(busy: boolean): void, close(): void }} Line hold: somebody waits for
 *   an answer */

/** A worker, of a browser or of node. @param {(message: any) => void} heard @param {(error: Error) => void} failed
 * @returns {Promise<Line>} */
async function opened(heard, failed) {
  if (typeof Worker === "undefined") {
    // what this program was called with is its own; it need not wait for the worker unless it waits for an answer
    const { Worker: Thread } = await ofNode("worker_threads");
    const file = "./worker.js"; // bundlers need not see it
    const worker = new Thread(new URL(file, import.meta.url), { execArgv: [] });
    worker.on("message", heard).on("error", failed).unref();
    return { send: (message) => worker.postMessage(message), hold: (busy) => worker[busy ? "ref" : "unref"](),
      close: () => worker.terminate() };
  }
  // in one piece: so bundlers know a worker when they see one
  const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
  worker.onmessage = ({ data }) => heard(data);
  worker.onerror = ({ message }) => failed(new Error(message || "the worker cannot be loaded"));
  return { send: (message) => worker.postMessage(message), hold: () => {}, close: () => worker.terminate() };
}

/** Agents, and a judge, in one worker; it starts when something is asked. */
export class RemoteAgents {
  /** @type {Promise<Line> | null} */
  #line = null;
  /** @type {Map<number, Waiting>} */
  #waiting = new Map();
  #next = 0;
  /** Goes up when the worker is given up: agents then have to be made again. */
  era = 0;
  /** The last time. @type {Error} */
  #why = new AbortError();

  /** @param {Source} source */
  constructor(source = {}) {
    this.source = source;
  }

  /** The agent of a spec. @param {string} spec */
  async of(spec) {
    const agent = new RemoteAgent(this, spec);
    await agent.ready();
    return agent;
  }

  /** Who says what turns are worth (agents/analyse.js). */
  judge() {
    return {
      /** @param {Observed} observed @param {Options} [options] @returns {Promise<Advice>} */
      advise: async (observed, options = {}) =>
        ({ ...(await this.ask({ do: "advise", observed: sent(observed), options })), observed }),
    };
  }

  /** Whatever is being thought about is given up; who waits for it gets an AbortError. What is asked next starts
   * anew. */
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
      line.send({ id, ...request }); // first: nobody waits for what cannot be sent
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

/** An agent in a worker. Where that was stopped it is made again when it is asked; what it had watched is forgotten. */
export class RemoteAgent {
  #number = made++;
  #era = -1;
  /** @type {Promise<unknown>} */
  #ready = Promise.resolve();
  /** @type {[number, number | bigint] | null} */
  #begun = null;
  /** Told how many simulations are done, now and then. @type {((done: number) => void) | undefined} */
  progress;

  /** @param {RemoteAgents} all @param {string} spec */
  constructor(all, spec) {
    this.all = all;
    this.spec = spec;
  }

  /** It is there; fails if its spec names none. */
  ready() {
    if (this.#era !== this.all.era) {
      this.#era = this.all.era;
      this.#ready = this.#make();
      this.#ready.catch(() => (this.#era = -1));
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
    this.#era = -1;
  }

  /** @param {string} what @param {Record<string, any>} rest */
  async #ask(what, rest) {
    await this.ready();
    return this.all.ask({ do: what, agent: this.#number, ...rest }, (done) => this.progress?.(done));
  }
}

/** An address as it is here: in the worker it would be another. @param {any} place */
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
