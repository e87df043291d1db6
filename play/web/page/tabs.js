// A game is played on one page at a time: whoever has its lock.

/** Takes the lock of a game. Resolves to what gives it back, or to null where another page has it.
 * @param {string} id @param {boolean} steal @param {() => void} lost somebody else has taken it
 * @returns {Promise<(() => void) | null>} */
export function hold(id, steal, lost) {
  if (!navigator.locks) return Promise.resolve(() => {}); // no secure context: nobody can tell
  return new Promise((got) => {
    let given = false;
    navigator.locks.request(`casino-game-${id}`, steal ? { steal } : { ifAvailable: true }, (lock) => {
      if (!lock) {
        got(null);
        return null;
      }
      return new Promise((/** @type {(nothing: null) => void} */ release) => got(() => {
        given = true;
        release(null);
      }));
    }).catch(() => given || lost());
  });
}
