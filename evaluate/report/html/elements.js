// Elements, numbers as text, and tables.
"use strict";

const SEAT_COLOURS = ["#e07a5f", "#5fa8d3", "#f2cc8f", "#9d8cd6", "#81b29a", "#e58fb1"];

function el(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else node.setAttribute(key, value);
  }
  node.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
  return node;
}

const known = (number) => number !== null && number !== undefined && Number.isFinite(number);
const fixed = (number, digits = 2) => (known(number) ? number.toFixed(digits) : "-");
const signed = (number, digits = 2) => (known(number) ? (number >= 0 ? "+" : "−") + Math.abs(number).toFixed(digits) : "-");
const percent = (share) => (known(share) ? (100 * share).toFixed(1) + " %" : "-");
const whole = (number) => Number(number).toLocaleString("en");

// --- tables ------------------------------------------------------------------------------------------------------

// columns: [title, row => value to sort by, row => what is shown]; a click on a title sorts.
function table(rows, columns) {
  const body = el("tbody");
  const show = (sorted) => body.replaceChildren(...sorted.map((row) => el("tr", {}, columns.map(([, , text]) => el("td", {}, text(row))))));
  const head = columns.map(([title, value]) => {
    let down = typeof value(rows[0] || {}) === "number";
    const sort = () => {
      const sign = down ? -1 : 1;
      down = !down;
      show([...rows].sort((a, b) => sign * (value(a) > value(b) ? 1 : value(a) < value(b) ? -1 : 0)));
    };
    return el("th", { class: "sorts", title: "sort", onclick: sort }, title);
  });
  show(rows);
  return el("div", { class: "scroll" }, el("table", {}, el("thead", {}, el("tr", {}, head)), body));
}

// cells(row, column): {value, text, more, hint} or null; colour by value from blue (won) to orange (lost).
function heat(names, cells) {
  const values = names.flatMap((a) => names.map((b) => cells(a, b))).filter(Boolean).map((cell) => Math.abs(cell.value));
  const most = Math.max(0.001, ...values);
  const cell = (found) => {
    if (!found) return el("td", { class: "self" }, "");
    const strength = Math.round(8 + 67 * Math.sqrt(Math.abs(found.value) / most));
    const colour = found.value >= 0 ? "var(--good)" : "var(--bad)";
    return el("td", { style: `background: color-mix(in srgb, ${colour} ${strength}%, var(--card))`, title: found.hint }, found.text, el("small", {}, found.more));
  };
  const head = el("tr", {}, el("th", {}, ""), names.map((name) => el("th", {}, name)));
  const body = names.map((a) => el("tr", {}, el("th", {}, a), names.map((b) => cell(a === b ? null : cells(a, b)))));
  return el("div", { class: "scroll" }, el("table", { class: "heat" }, el("thead", {}, head), el("tbody", {}, body)));
}
