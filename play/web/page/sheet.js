// Dialogs: sheets with a heading, elements and buttons; toasts; the banner; and their steps in the history.

import { $, dialog, draw, h } from "./dom.js";
import { t, wrong } from "./text.js";

/** A button of a sheet. If run() returns true, the sheet stays open; if it throws, the sheet shows the error. main: the
 * primary action, in place of closing.
 * @typedef {{ words: string, id?: string, main?: boolean, run: () => unknown }} SheetButton */

/** Show it; resolve once closed. @param {string} title @param {(Node | null)[]} body @param {SheetButton[]} [buttons]
 * @param {string} [close] @returns {Promise<void>} */
export function sheet(title, body, buttons = [], close = t("close")) {
  const box = dialog("sheet"), error = h("p", { class: "error", role: "alert" });
  /** @param {SheetButton} button */
  const press = async ({ run }) => {
    try {
      error.textContent = "";
      if (await run() !== true) shut();
    } catch (refused) {
      error.textContent = wrong(refused);
      error.scrollIntoView({ block: "nearest" });
    }
  };
  const inside = h("div", {}, h("h2", { id: "sheet-title", tabindex: -1 }, title), h("div", { id: "sheet-body" }, body),
    error,
    h("div", { class: "buttons", id: "sheet-buttons" },
      buttons.map((each) => h("button", { type: "button", class: each.main ? "main" : null, id: each.id ?? null,
        onclick: () => press(each) }, each.words)),
      h("button", { type: "button", class: buttons.some(({ main }) => main) ? null : "main", id: "sheet-close",
        onclick: () => shut() }, close)));
  $("sheet").replaceChildren(...inside.childNodes);
  open(box);
  /** @type {HTMLElement | null} */ (box.querySelector(".main"))?.focus({ preventScroll: true });
  return new Promise((done) => box.addEventListener("close", () => done(), { once: true }));
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let leaving;

let returning = false; // the history is going back from a closed dialog's step, which takes a moment

/** Open a dialog as a step of the history: going back closes it. @param {HTMLDialogElement} box */
export function open(box) {
  if (!box.open) {
    if (!returning) history[closed() ? "replaceState" : "pushState"]({ dialog: box.id }, "");
    box.addEventListener("close", () => {
      clearTimeout(leaving);
      leaving = setTimeout(leave, 50); // another dialog may open at once
    }, { once: true });
    box.showModal();
  }
  box.scrollTop = 0;
}

/** Whether the current step of the history belongs to a closed dialog. */
function closed() {
  const { dialog: id } = history.state ?? {};
  return Boolean(id) && !dialog(id).open;
}

function leave() {
  if (returning || !closed()) return;
  returning = true;
  history.back();
}

window.addEventListener("popstate", ({ state }) => {
  const open = [...document.querySelectorAll("dialog")].filter((box) => box.open).map(({ id }) => id);
  if (returning) {
    returning = false; // a dialog that was opened meanwhile gets its step now
    if (open.length && !open.includes(state?.dialog)) history.pushState({ dialog: open.at(-1) }, "");
  } else {
    for (const id of open) if (state?.dialog !== id) dialog(id).close();
    leave(); // skip the step of a dialog that is closed
  }
});

/** Open a view by its address; it replaces the history step of a dialog that leads there. @param {string} view */
export function go(view) {
  if (returning) window.addEventListener("popstate", () => go(view), { once: true });
  else if (history.state?.dialog) location.replace(`#${view}`);
  else location.hash = view;
}

// A link that is clicked while the history goes back would be undone by it.
document.addEventListener("click", (event) => {
  const link = /** @type {Element} */ (event.target).closest("a[href^='#']");
  if (!link || !returning || event.defaultPrevented) return;
  event.preventDefault();
  go(link.getAttribute("href")?.slice(1) ?? "");
});

export function shut() {
  if (dialog("sheet").open) dialog("sheet").close();
}

/** Show a line over the page for a moment. @param {string} text */
export function toast(text) {
  const box = $("toast");
  box.textContent = text;
  box.classList.toggle("on", Boolean(text));
  clearTimeout(toast.timer);
  toast.timer = setTimeout(() => box.classList.remove("on"), 5000);
}
/** @type {ReturnType<typeof setTimeout> | undefined} */
toast.timer = undefined;

/** What goes wrong is told. @param {() => Promise<unknown>} work */
export const told = (work) => work().catch((error) => toast(wrong(error)));

/** Show a bar with a message and a button; "" removes it.
 * @param {string} text @param {string} [words] @param {() => void} [run] */
export function banner(text, words, run) {
  const bar = $("banner");
  bar.hidden = !text;
  draw(bar, text && h("p", {}, text), words && h("button", { onclick: run }, words));
}
