// Create elements and update the page to match them (a DOM diff): nodes of the same key stay, and so do the focus, the
// scroll position and running animations.

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Child | Child[] | Child[][] | Child[][][]} Children */
/** @typedef {HTMLElement & { heard?: string[] }} Made */

/** Return the element with this id; throw if there is none. @param {string} id @returns {HTMLElement} */
export function $(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no #${id} on this page`);
  return found;
}

/** The input with this id. @param {string} id */
export const input = (id) => /** @type {HTMLInputElement} */ ($(id));

/** @param {string} id */
export const dialog = (id) => /** @type {HTMLDialogElement} */ ($(id));

/** Create an element. `on...` are listeners; null, false and undefined are omitted; `key` identifies the node across
 * drawings. @param {string} tag @param {{ [name: string]: any }} [attributes] @param {...Children} children
 * @returns {HTMLElement} */
export function h(tag, attributes = {}, ...children) {
  /** @type {Made} */
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || (value === false && !name.startsWith("aria-"))) continue;
    if (name.startsWith("on")) listen(made, name, value);
    else if (name === "style") made.style.cssText = value; // the page's CSP forbids style attributes
    else made.setAttribute(name === "key" ? "data-key" : name, value === true && !name.startsWith("aria-") ? ""
      : `${value}`);
  }
  for (const child of /** @type {Child[]} */ (children.flat(3))) {
    if (child !== null && child !== undefined && child !== false)
      made.append(typeof child === "number" ? `${child}` : child);
  }
  return made;
}

/** @param {Made} made @param {string} name @param {any} run */
function listen(made, name, run) {
  /** @type {any} */ (made)[name] = run;
  (made.heard ??= []).push(name);
}

const SPACE = "http://www.w3.org/2000/svg";

/** Create an SVG element. @param {string} tag @param {{ [name: string]: string | number }} attributes
 * @param {(Node | string)[]} [children] */
export function drawn(tag, attributes, children = []) {
  const made = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, `${value}`);
  made.append(...children);
  return made;
}

/** An SVG icon from the page's symbols. @param {string} symbol @param {string} kind CSS class */
export const symbol = (symbol, kind) =>
  drawn("svg", { class: kind, "aria-hidden": "true" }, [drawn("use", { href: `#${symbol}` })]);

/** A <select> element. @param {{ [name: string]: any }} attributes
 * @param {[string, string, any?][]} all value, words, attributes @param {string} now
 * @param {(value: string) => void} choose @returns {HTMLElement} */
export function choice(attributes, all, now, choose) {
  const listens =
    { onchange: (/** @type {Event} */ event) => choose(/** @type {HTMLSelectElement} */ (event.target).value) };
  return h("select", { ...attributes, ...listens },
    all.map(([value, words, more]) => h("option", { value, selected: value === now, ...more }, words)));
}

/** Update the children of `root` to match `wanted`. @param {Element} root @param {...Children} wanted */
export function draw(root, ...wanted) {
  const made = h("div", {}, ...wanted);
  children(root, made);
}

/** @param {Node} node */
const keyOf = (node) => (node instanceof HTMLElement ? node.dataset.token ?? node.dataset.key ?? (node.id || null)
  : null);

/** @param {Element} live @param {Element} wanted */
function children(live, wanted) {
  /** @type {Map<string, ChildNode>} */
  const byKey = new Map();
  /** @type {ChildNode[]} */
  const others = [];
  for (const node of live.childNodes) {
    const key = keyOf(node);
    if (key === null) others.push(node);
    else byKey.set(key, node);
  }
  const placed = [...wanted.childNodes].map((node) => {
    const key = keyOf(node), at = key === null ? others.findIndex((other) => other.nodeName === node.nodeName) : -1;
    const same = key === null ? others.splice(0, at + 1).at(-1) : byKey.get(key);
    if (!same || same.nodeName !== node.nodeName) return node;
    if (key !== null) byKey.delete(key);
    align(same, node);
    return same;
  });
  const kept = new Set(placed);
  // remove first, so that the remaining nodes need not move
  for (const node of [...live.childNodes]) if (!kept.has(node)) node.remove();
  placed.forEach((node, at) => {
    if (live.childNodes[at] !== node) live.insertBefore(node, live.childNodes[at] ?? null);
  });
}

/** @param {ChildNode} live @param {Node} wanted */
function align(live, wanted) {
  if (!(live instanceof Element) || !(wanted instanceof Element)) {
    if (live.textContent !== wanted.textContent) live.textContent = wanted.textContent;
    return;
  }
  for (const { name } of [...live.attributes])
    if (name !== "style" && !wanted.hasAttribute(name)) live.removeAttribute(name);
  for (const { name, value } of wanted.attributes)
    if (name !== "style" && live.getAttribute(name) !== value) live.setAttribute(name, value);
  if (live instanceof HTMLElement && wanted instanceof HTMLElement) {
    if (live.style.cssText !== wanted.style.cssText) live.style.cssText = wanted.style.cssText;
    hear(live, wanted);
  }
  children(live, wanted);
  if (live instanceof HTMLSelectElement && wanted instanceof HTMLSelectElement) live.value = wanted.value;
  if (live instanceof HTMLInputElement && wanted instanceof HTMLInputElement)
    [live.value, live.checked] = [wanted.value, wanted.checked];
}

/** @param {Made} live @param {Made} wanted */
function hear(live, wanted) {
  for (const name of live.heard ?? []) /** @type {any} */ (live)[name] = null;
  for (const name of wanted.heard ?? []) /** @type {any} */ (live)[name] = /** @type {any} */ (wanted)[name];
  live.heard = wanted.heard;
}
