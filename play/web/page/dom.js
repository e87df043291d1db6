// Elements, and how what stands on the page is brought in line with what should: nodes of the same key stay, and with
// them the focus, the scroll and whatever moves.

/** @typedef {Node | string | number | null | undefined | false} Child */
/** @typedef {Child | Child[] | Child[][] | Child[][][]} Children */
/** @typedef {HTMLElement & { heard?: string[] }} Made */

/** The element of this id, which is on the page. @param {string} id @returns {HTMLElement} */
export function $(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no #${id} on this page`);
  return found;
}

/** What has this id as an input. @param {string} id */
export const input = (id) => /** @type {HTMLInputElement} */ ($(id));

/** @param {string} id */
export const dialog = (id) => /** @type {HTMLDialogElement} */ ($(id));

/** An element. `on...` are listeners; null, false and undefined are left out; `key` says which node it is between two
 * drawings. @param {string} tag @param {{ [name: string]: any }} [attributes] @param {...Children} children
 * @returns {HTMLElement} */
export function h(tag, attributes = {}, ...children) {
  /** @type {Made} */
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || (value === false && !name.startsWith("aria-"))) continue;
    if (name.startsWith("on")) listen(made, name, value);
    else if (name === "style") made.style.cssText = value; // as an attribute the page's policy forbids it
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

/** A part of a picture. @param {string} tag @param {{ [name: string]: string | number }} attributes
 * @param {(Node | string)[]} [children] */
export function drawn(tag, attributes, children = []) {
  const made = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, `${value}`);
  made.append(...children);
  return made;
}

/** A drawing of the page's symbols. @param {string} symbol @param {string} kind */
export const symbol = (symbol, kind) =>
  drawn("svg", { class: kind, "aria-hidden": "true" }, [drawn("use", { href: `#${symbol}` })]);

/** A choice from a list, each with its words. @param {{ [name: string]: any }} attributes
 * @param {[string, string, any?][]} all value, words, attributes @param {string} now
 * @param {(value: string) => void} choose @returns {HTMLElement} */
export function choice(attributes, all, now, choose) {
  const listens =
    { onchange: (/** @type {Event} */ event) => choose(/** @type {HTMLSelectElement} */ (event.target).value) };
  return h("select", { ...attributes, ...listens },
    all.map(([value, words, more]) => h("option", { value, selected: value === now, ...more }, words)));
}

/** Makes the children of `root` those of `wanted`. @param {Element} root @param {...Children} wanted */
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
  // first, so that what stays need not be moved
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
