/** Run a program of this folder; report any error as one line. */

import { oneLine } from "../page/casino/src/game/validate.js";

/** @param {string} name @param {() => Promise<void>} run */
export async function command(name, run) {
  try {
    await run();
  } catch (error) {
    process.stderr.write(`${name}: ${oneLine(error)}\n`);
    process.exitCode = String(/** @type {any} */ (error)?.code).startsWith("ERR_PARSE_ARGS") ? 2 : 1;
  }
}
