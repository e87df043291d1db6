// Keys for everything: one listener, which the open view answers.

const TYPING = "input, select, textarea, dialog[open] *";

// keys: what to do by key; cards: arrow keys go from card to card inside this element.
export function listen(keys, cards = null) {
  function down(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.(TYPING) || document.querySelector("dialog[open]")) return;
    const run = keys[event.key] ?? (/^[1-9]$/.test(event.key) ? keys.digit : null);
    if (run) {
      event.preventDefault();
      run(event.key);
    } else if (cards && event.key.startsWith("Arrow")) walk(event, cards);
  }
  window.addEventListener("keydown", down);
  return () => window.removeEventListener("keydown", down);
}

function walk(event, root) {
  const all = [...root.querySelectorAll(".lit, .chosen, .options button, .plain button")];
  if (!all.length) return;
  event.preventDefault();
  const at = all.indexOf(document.activeElement), step = ["ArrowLeft", "ArrowUp"].includes(event.key) ? -1 : 1;
  all[at < 0 ? 0 : (at + step + all.length) % all.length].focus();
}

// Draws anew without taking the focus from whatever has it.
export function keepFocus(root, draw) {
  const had = root.contains(document.activeElement) ? document.activeElement : null;
  const key = had && (had.dataset.token ?? had.dataset.key);
  draw();
  if (!had || document.activeElement !== document.body) return;
  const same = key && root.querySelector(`[data-token="${CSS.escape(key)}"], [data-key="${CSS.escape(key)}"]`);
  (same ?? root.querySelector(".lit, .plain button, .options button") ?? root).focus();
}
