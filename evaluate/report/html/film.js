// Pictures of the table and the player that steps through a game.
"use strict";

const escaped = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

// A shape of the reel as SVG; film.py says what its numbers are.
function painted(shape, outlines) {
  if (shape[0] === "r") {
    const [, x, y, w, h, round, colour, edge, line] = shape;
    const stroke = edge ? ` stroke="${edge}" stroke-width="${line}"` : "";
    return `<rect x="${x}" y="${y}" width="${w}" height="${h}" rx="${round}" fill="${colour}"${stroke}/>`;
  }
  if (shape[0] === "p") {
    const [, outline, x, y, size, colour] = shape;
    return `<polygon points="${outlines[outline]}" fill="${colour}" transform="translate(${x} ${y}) scale(${size})"/>`;
  }
  const [, x, y, size, text, colour, anchor, bold] = shape;
  if (!text) return "";
  return `<text x="${x}" y="${y + 0.35 * size}" font-size="${size}" fill="${colour}" text-anchor="${anchor}"${bold ? ' font-weight="bold"' : ""}>${escaped(text)}</text>`;
}

function tablePicture(reel, frame) {
  const node = svg("svg", { viewBox: `0 0 ${reel.size[0]} ${reel.size[1]}`, "font-family": "sans-serif" });
  node.innerHTML = frame.map((number) => painted(reel.shapes[number], reel.outlines)).join("");
  return node;
}

const dot = (seat) => el("span", { class: "seat", style: `background:${SEAT_COLOURS[seat] || "var(--dim)"}` });

function player(reel, film) {
  const last = film.frames.length - 1;
  let now = 0, timer = null;
  const stage = el("div"), says = el("div", { class: "says" });
  const slider = el("input", { type: "range", min: 0, max: last, value: 0, "aria-label": "step", oninput: () => show(+slider.value) });
  const list = film.turns.map((turn, number) => el("li", { onclick: () => show(film.frames.findIndex((frame) => frame.turn === number)) },
    dot(turn.seat), turn.text));
  const turns = el("ol", { class: "turns" }, list);

  function show(step) {
    now = Math.max(0, Math.min(last, step));
    const frame = film.frames[now];
    stage.replaceChildren(tablePicture(reel, frame.shapes));
    slider.value = now;
    const who = frame.seat < 0 ? "" : `${film.players[frame.seat] || "seat " + frame.seat}: `;
    says.replaceChildren(...(frame.seat < 0 ? [] : [dot(frame.seat)]), `${who}${frame.text}`);
    list.forEach((item, number) => item.classList.toggle("on", number === frame.turn));
    const item = list[frame.turn];
    if (item) turns.scrollTop = item.offsetTop - turns.offsetTop - turns.clientHeight / 2;
    if (now === last) stop();
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    play.textContent = "▶ play";
  }

  function toggle() {
    if (timer) return stop();
    if (now === last) show(0);
    play.textContent = "❚❚ pause";
    timer = setInterval(() => show(now + 1), 800);
  }

  const button = (text, title, action) => el("button", { title, onclick: action }, text);
  const play = button("▶ play", "play or pause (space)", toggle);
  const jump = (by) => { stop(); show(now + by); };
  const controls = el("div", { class: "controls" }, button("|◀", "to the beginning", () => jump(-1e9)), button("◀", "back (left arrow)", () => jump(-1)),
    play, button("▶", "on (right arrow)", () => jump(1)), button("▶|", "to the end", () => jump(1e9)), slider);
  const keys = { ArrowLeft: () => jump(-1), ArrowRight: () => jump(1), " ": toggle };
  const box = el("div", { class: "player", tabindex: 0, onkeydown: (event) => {
    if (!keys[event.key] || event.target !== box) return;
    event.preventDefault();
    keys[event.key]();
  } });
  const seats = film.players.map((name, seat) => el("span", {}, dot(seat), `seat ${seat}: ${name}, ${film.scores[seat]} points`));
  box.append(el("div", {}, says, stage, controls, el("div", { class: "key" }, seats)),
    el("div", {}, el("h3", {}, "Turns"), turns));
  show(0);
  return { node: box, stop };
}
