// Elements and plots. A plot is an SVG that scales with the width of its card.
"use strict";

const COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccaa22", "#66aacc", "#aa3377", "#888888", "#dd8833"];
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
// Of a path its end says more.
function short(text, most) {
  if (text.length <= most) return text;
  return text.includes("/") ? "…" + text.slice(1 - most) : text.slice(0, most - 1) + "…";
}

function compact(number) {
  for (const [size, unit] of [[1e9, "G"], [1e6, "M"], [1e3, "k"]]) {
    if (Math.abs(number) >= size) return +(number / size).toPrecision(3) + unit;
  }
  return String(+number.toPrecision(3));
}

// A plot that wide, or as wide as the screen: its text keeps its size.
const room = (wide) => Math.min(wide, Math.max(320, document.documentElement.clientWidth - 78));

// Round numbers from low to high, about so many.
function ticks(low, high, count) {
  const raw = (high - low) / count || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((k) => k * power).find((size) => size >= raw * 0.999);
  const found = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + step * 1e-9; k++) found.push(+(k * step).toPrecision(12));
  return found;
}

function scale(low, high, from, to) {
  const span = high - low || 1;
  return (value) => from + ((value - low) / span) * (to - from);
}

// --- bars or dots with intervals: rows of {name, mean, low, high, colour} ---------------------------------------

function bars(rows, { text = fixed, dots = false, width = 520, names = 150, least = 0.001 } = {}) {
  const line = 27, top = 4, bottom = 22;
  width = room(width);
  const all = rows.flatMap((row) => [row.mean, row.low, row.high]).filter(known);
  let low = Math.min(0, ...all), high = Math.max(least, ...all);
  if (low < 0) low -= 0.05 * (high - low);
  const right = width - 62;
  const x = scale(low, high, names, right);
  const height = top + rows.length * line + bottom;
  const plot = svg("svg", { class: "plot", viewBox: `0 0 ${width} ${height}` });
  for (const tick of ticks(low, high, 4)) {
    plot.append(svg("line", { class: tick === 0 ? "zero" : "grid-line", x1: x(tick), x2: x(tick), y1: top, y2: height - bottom }),
      svg("text", { class: "dim", x: x(tick), y: height - 6, "text-anchor": "middle" }, compact(tick)));
  }
  rows.forEach((row, number) => {
    const y = top + (number + 0.5) * line;
    const group = svg("g", {}, svg("title", {}, `${row.name}: ${text(row.mean)} (${text(row.low)} to ${text(row.high)})`));
    group.append(svg("text", { x: names - 10, y: y + 4, "text-anchor": "end" }, short(row.name, Math.floor(names / 7))));
    const colour = row.colour || "var(--bar)";
    if (!dots) group.append(svg("rect", { x: Math.min(x(0), x(row.mean)), y: y - 8, height: 16, rx: 3, width: Math.max(1, Math.abs(x(row.mean) - x(0))), fill: colour }));
    if (known(row.low) && known(row.high)) group.append(svg("line", { class: "whisker", x1: x(row.low), x2: x(row.high), y1: y, y2: y }));
    if (dots) group.append(svg("circle", { cx: x(row.mean), cy: y, r: 5.5, fill: colour }));
    group.append(svg("text", { x: right + 10, y: y + 4 }, text(row.mean)));
    plot.append(group);
  });
  return plot;
}

// --- parts of a whole: rows of {name, parts: [number]} ----------------------------------------------------------

function stacked(rows, labels, { text = fixed, width = 1100, names = 150 } = {}) {
  width = room(width);
  const line = 31, right = width - 60;
  const most = Math.max(0.001, ...rows.map((row) => row.parts.reduce((a, b) => a + b, 0)));
  const x = scale(0, most, names, right);
  const plot = svg("svg", { class: "plot", viewBox: `0 0 ${width} ${rows.length * line + 4}` });
  rows.forEach((row, number) => {
    const y = number * line + 4;
    let at = 0;
    plot.append(svg("text", { x: names - 10, y: y + 16, "text-anchor": "end" }, short(row.name, 21)));
    row.parts.forEach((part, k) => {
      if (part <= 0) return;
      const wide = x(at + part) - x(at);
      plot.append(svg("rect", { x: x(at), y, width: Math.max(0.5, wide - 1), height: 22, rx: 3, fill: shade(k) },
        svg("title", {}, `${row.name}, ${labels[k]}: ${text(part)}`)));
      if (wide > 38) plot.append(svg("text", { x: x(at) + wide / 2, y: y + 15, "text-anchor": "middle", style: "fill:#fff;font-size:11px" }, text(part)));
      at += part;
    });
    plot.append(svg("text", { x: x(at) + 8, y: y + 16 }, text(at)));
  });
  return el("div", {}, plot, key(labels.map((name, k) => [name, shade(k)])));
}

const SHADES = ["#2f5d8a", "#4f86b5", "#6c8f3c", "#b5832a", "#c46a3b", "#8a5a9e", "#a9527a", "#c04a52", "#5b6770", "#3f8f8b", "#7a7a3a", "#96603a"];
const shade = (k) => SHADES[k % SHADES.length];

function key(entries) {
  return el("div", { class: "key" }, entries.map(([name, colour]) => el("span", {}, el("i", { style: `background:${colour}` }), name)));
}

// --- lines: series of {name, colour, points: [[x, y, low, high]]} -------------------------------------------------

function lines(series, { width = 720, height = 300, across = compact, up = compact, zero = false, label = "" } = {}) {
  const [left, right, top, bottom] = [52, 16, 10, 30];
  width = room(width);
  const points = series.flatMap((one) => one.points);
  const heights = points.flatMap((point) => point.slice(1)).filter(known);
  const [x0, x1] = [Math.min(...points.map((p) => p[0])), Math.max(...points.map((p) => p[0]))];
  let [y0, y1] = [Math.min(...heights, ...(zero ? [0] : [])), Math.max(...heights, ...(zero ? [0] : []))];
  if (y0 === y1) [y0, y1] = [y0 - 0.5, y1 + 0.5];
  const x = scale(x0, x1, left, width - right), y = scale(y0, y1, height - bottom, top);
  const plot = svg("svg", { class: "plot", viewBox: `0 0 ${width} ${height}` });
  for (const tick of ticks(y0, y1, 5)) {
    plot.append(svg("line", { class: tick === 0 ? "zero" : "grid-line", x1: left, x2: width - right, y1: y(tick), y2: y(tick) }),
      svg("text", { class: "dim", x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, up(tick)));
  }
  for (const tick of ticks(x0, x1, Math.min(8, width / 80))) plot.append(svg("text", { class: "dim", x: x(tick), y: height - 10, "text-anchor": "middle" }, across(tick)));
  if (label) plot.append(svg("text", { class: "dim", x: width - right, y: height - bottom - 6, "text-anchor": "end" }, label));
  const path = (pairs) => pairs.map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`).join(" ");
  for (const one of series) {
    const band = one.points.filter((p) => known(p[2]) && known(p[3]));
    if (band.length > 1) {
      const edge = [...band.map((p) => [p[0], p[3]]), ...band.toReversed().map((p) => [p[0], p[2]])];
      plot.append(svg("polygon", { points: path(edge), fill: one.colour, opacity: 0.16 }));
    }
    const drawn = one.points.filter((p) => known(p[1]));
    plot.append(svg("polyline", { points: path(drawn), fill: "none", stroke: one.colour, "stroke-width": 2.2, "stroke-linejoin": "round" }));
    for (const p of drawn.length < 60 ? drawn : []) {
      plot.append(svg("circle", { cx: x(p[0]), cy: y(p[1]), r: 3, fill: one.colour }, svg("title", {}, `${one.name}: ${up(p[1])} at ${across(p[0])}`)));
    }
  }
  return plot;
}

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
  const head = el("tr", {}, el("th", {}, ""), names.map((name) => el("th", { title: name }, short(name, 22))));
  const body = names.map((a) => el("tr", {}, el("th", { title: a }, short(a, 26)), names.map((b) => cell(a === b ? null : cells(a, b)))));
  return el("div", { class: "scroll" }, el("table", { class: "heat" }, el("thead", {}, head), el("tbody", {}, body)));
}
