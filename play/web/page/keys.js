// Keyboard control: one listener for the open view.

const TYPING = "input, select, textarea, dialog[open] *";

/** @param {{ [key: string]: (key: string) => void }} keys handlers by key; `digit` for 1 to 9
 * @param {() => Element[]} [walked] elements that arrow keys move through @returns {() => void} removes the listener */
export function listen(keys, walked) {
  /** @param {KeyboardEvent} event */
  function down(event) {
    const target = /** @type {Element | null} */ (event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || target?.closest?.(TYPING)
      || document.querySelector("dialog[open]")) return;
    const run = keys[event.key] ?? (/^[1-9]$/.test(event.key) ? keys.digit : null);
    if (run) {
      event.preventDefault();
      run(event.key);
    } else if (walked && event.key.startsWith("Arrow")) {
      const all = /** @type {HTMLElement[]} */ (walked()),
        at = all.indexOf(/** @type {HTMLElement} */ (document.activeElement));
      const step = ["ArrowLeft", "ArrowUp"].includes(event.key) ? -1 : 1;
      if (!all.length) return;
      event.preventDefault();
      all[at < 0 ? 0 : (at + step + all.length) % all.length].focus();
    }
  }
  window.addEventListener("keydown", down);
  return () => window.removeEventListener("keydown", down);
}

/** Draw; if the focused element is gone, focus another one. @param {Element} root @param {() => void} draw */
export function keepFocus(root, draw) {
  const had = /** @type {HTMLElement | null} */ (document.activeElement), key = had?.dataset.token ?? had?.dataset.key
    ?? had?.id;
  const inside = had && root.contains(had);
  draw();
  if (!inside || document.activeElement === had || document.activeElement !== document.body) return;
  const same = key && root.querySelector(`[data-token="${CSS.escape(key)}"], [data-key="${CSS.escape(key)}"]`);
  const next = () => [...root.querySelectorAll(".lit, .plain button, .options button, [tabindex]")]
    .find((one) => one.checkVisibility());
  /** @type {HTMLElement | undefined} */ (same || next())?.focus();
}
