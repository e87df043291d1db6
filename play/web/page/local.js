// Small things that are kept in this browser, each under a name.

/** What lies there, as it is read; until the page is closed where none may be kept. @template T @param {string} name
 * @param {(data: any) => T} read */
export function local(name, read) {
  const stored = () => {
    try {
      return read(JSON.parse(localStorage.getItem(name) ?? "{}"));
    } catch { // somebody else's, or none may be kept here
      return read({});
    }
  };
  const now = stored();
  const keep = () => {
    try {
      localStorage.setItem(name, JSON.stringify(now));
    } catch { // it counts until the page is closed
    }
  };
  return { now, keep };
}
