// Those who play and judge: in a worker, so that the page never waits, and can stop them.

import { RemoteAgents } from "./casino/src/remote.js";

/** @type {RemoteAgents | null} */
let crew = null;

const hired = () => (crew ??= new RemoteAgents({ policies: new URL("policies/", document.baseURI).href }));

export const agents = {
  /** @param {string} spec */
  of: (spec) => hired().of(spec),
};

/** Who says what turns are worth: for hints and reviews alike. */
export const judge = () => hired().judge();

/** Whatever is being thought about is given up; who waits for it gets an AbortError. */
export function stopThinking() {
  crew?.stop();
}

/** Before it is needed: its files are then here, also for later without a network. */
export function warmUp() {
  hired();
}
