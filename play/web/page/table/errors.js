// What cannot be done, in words.

import { oneLine } from "../casino/src/game/validate.js";
import { en, format, say } from "../words/index.js";

/** A wish that cannot be granted; the game is as it was. `words` in any language, `message` in English. */
export class TableError extends Error {
  name = "TableError";

  /** @param {string} key @param {{ [name: string]: any }} [args] @param {unknown} [cause] */
  constructor(key, args, cause) {
    super(format(en, say(key, args)), { cause });
    this.words = say(key, args);
  }
}

/** Runs it; an error of the engine comes as one in words. @template T @param {string} key @param {() => T} run @returns {T} */
export function inWords(key, run) {
  try {
    return run();
  } catch (error) {
    if (error instanceof TableError) throw error;
    throw new TableError(key, { why: oneLine(error, 300) }, error);
  }
}
