// The sections of the page, from the data of the report.
"use strict";

const DATA = JSON.parse(document.getElementById("data").textContent);

const card = (title, size, ...children) => el("div", { class: `card ${size}` }, title ? el("h3", {}, title) : null, children);
const grid = (...children) => el("div", { class: "grid" }, children);

function section(id, title, note, ...children) {
  document.getElementById("page").append(el("section", { id }, el("h2", {}, title), note ? el("p", { class: "note" }, note) : null, children));
  document.getElementById("links").append(el("a", { href: `#${id}` }, title));
}

const between = (low, high, digits = 2) => `${signed(low, digits)} to ${signed(high, digits)}`;
const named = (row) => row.agent;
const withAgents = (rows, value) => rows.map((row) => ({ name: named(row), ...value(row) }));

// --- tournaments ---------------------------------------------------------------------------------------------------

function tournament(found, number) {
  const { settings, ratings, pairs, failures, nash } = found;
  const names = ratings.map(named);
  const played = pairs.reduce((sum, pair) => sum + pair.deals, 0);
  const about = `${settings.variant}, ${settings.players} players, ${names.length} agents, ${whole(played)} deals, each in all seatings.`;
  const cell = (a, b) => {
    const pair = pairs.find((p) => (p.a === a && p.b === b) || (p.a === b && p.b === a));
    if (!pair) return null;
    const sign = pair.a === a ? 1 : -1, mean = sign * pair.diff;
    const half = known(pair.high) ? (pair.high - pair.low) / 2 : null;
    const win = sign > 0 ? pair.win : 1 - pair.win;
    return { value: mean, text: signed(mean), more: `± ${fixed(half)}`, hint: `${a} over ${b}: ${signed(mean)} ± ${fixed(half)} points a deal, wins ${percent(win)}, ${whole(pair.deals)} deals` };
  };
  const columns = [
    ["agent", named, named],
    ["Elo", (row) => row.elo, (row) => signed(row.elo, 0)],
    ["95 %", (row) => row.elo_low, (row) => between(row.elo_low, row.elo_high, 0)],
    ["points a deal", (row) => row.points, (row) => signed(row.points)],
    ["95 %", (row) => row.points_low, (row) => between(row.points_low, row.points_high)],
    ...(nash ? [["Nash", (row) => nash[row.agent].weight, (row) => fixed(nash[row.agent].weight)], ["alpha-rank", (row) => found.alpha_rank[row.agent], (row) => fixed(found.alpha_rank[row.agent])]] : []),
    ["deals", (row) => row.deals, (row) => whole(row.deals)],
  ];
  const elo = withAgents(ratings, (row) => ({ mean: row.elo, low: row.elo_low, high: row.elo_high }));
  const points = withAgents(ratings, (row) => ({ mean: row.points, low: row.points_low, high: row.points_high }));
  section(`tournament${number}`, found.name, `${about} Whiskers and ± are 95 % intervals, by deal; the mean of all agents is 0.`,
    ratings.length ? [grid(card("Elo", "half", bars(elo, { text: (value) => signed(value, 0), dots: true })), card("Points a deal", "half", bars(points, { text: signed, dots: true }))),
      grid(card("Standings", "", table(ratings, columns))),
      grid(card("Points a deal of the row over the column", "", heat(names, cell)))] : el("p", {}, "Nothing has been played yet."),
    failures.length ? grid(card("Failures", "", failures.map((text) => el("p", { class: "failure" }, text)))) : null);
}

// --- matches and exploits ------------------------------------------------------------------------------------------

function matches(rows) {
  const name = (row) => `${row.a} over ${row.b}`;
  const where = (row) => `${row.variant}, ${row.players} players`;
  section("matches", "Matches", "Points a deal of the first over the second, on the same cards in exchanged seats.",
    grid(card("", "half", bars(rows.map((row) => ({ name: name(row), mean: row.diff, low: row.low, high: row.high })), { text: signed, dots: true, names: 200 })),
      card("", "half", table(rows, [["match", name, name], ["game", where, where], ["points", (row) => row.diff, (row) => signed(row.diff)],
        ["95 % interval", (row) => row.low, (row) => between(row.low, row.high)], ["wins", (row) => row.win_a, (row) => percent(row.win_a)], ["deals", (row) => row.deals, (row) => whole(row.deals)]]))));
}

function exploits(rows) {
  const what = (row) => (row.method === "exact" ? "exact" : `at least, by ${row.method}`);
  section("exploits", "Exploitability", "What an opponent that knows the agent wins from it a deal.",
    grid(card("", "half", bars(withAgents(rows, (row) => row.exploited), { dots: true })),
      card("", "half", table(rows, [["agent", named, named], ["game", (row) => row.variant, (row) => row.variant], ["how", what, what],
        ["points a deal", (row) => row.exploited.mean, (row) => fixed(row.exploited.mean, 3)], ["95 % interval", (row) => row.exploited.low, (row) => between(row.exploited.low, row.exploited.high)]]))));
}

// --- style ---------------------------------------------------------------------------------------------------------

const PANELS = [
  ["turns", ["capture", "build", "augment", "raise", "steal", "discard"], "turns with:", percent],
  ["builds", ["made"], "builds a deal:", fixed],
  ["builds", ["cashed", "lost", "left"], "builds, share that was", percent],
  ["steals", ["stolen cards", "robbed cards"], "a deal:", fixed],
];

function styles(found, number) {
  const rows = found.rows;
  const panels = PANELS.flatMap(([part, names, title, text]) => names
    .filter((name) => rows.some((row) => row[part][name] && row[part][name].mean > 0))
    .map((name) => card(`${title} ${name}`, "third", bars(withAgents(rows, (row) => row[part][name]), { text, width: 360, names: 118 }))));
  const categories = [...new Set(rows.flatMap((row) => Object.keys(row.points)))];
  const points = rows.map((row) => ({ name: named(row), parts: categories.map((name) => (row.points[name] || { mean: 0 }).mean) }));
  const when = rows.map((row, k) => ({ name: named(row), colour: COLOURS[k % COLOURS.length], points: row["captures by turn"].map((share, turn) => [turn + 1, share]) }));
  section(`style${number}`, `Style: ${found.title}`, `${whole(rows[0].deals)} deals an agent, against ${found.against}. A turn may hold several plays.`, grid(...panels),
    grid(card("Points a deal by category", "", stacked(points, categories))),
    grid(card("When it captures: share of its captures by its turn in the deal", "", lines(when, { width: 1100, height: 260, up: percent, zero: true, label: "turn of the seat" }),
      key(when.map((one) => [one.name, one.colour])))));
}

// --- regret --------------------------------------------------------------------------------------------------------

function regrets(rows) {
  const part = (name, title, text) => card(title, "third", bars(withAgents(rows, (row) => row[name]), { text, width: 360, names: 118 }));
  const worst = rows.flatMap((row) => row.worst.filter((one) => one.frame).map((one) => card(row.agent, "half position", tablePicture(DATA.reel, one.frame),
    el("p", {}, "lost ", el("b", {}, one.lost), ` by ${one.chosen} instead of ${one.best.join(" or ")}`),
    el("details", {}, el("summary", {}, "position"), el("pre", {}, JSON.stringify(one.position))))));
  section("regret", "Regret", `Points lost in endings against perfect play, with at most ${Math.max(...rows.map((row) => row.cards))} cards a hand and all of them known.`,
    grid(part("lost a deal", "points lost a deal", fixed), part("lost a decision", "points lost a decision", (value) => fixed(value, 3)), part("mistakes", "share of decisions that lose points", percent)),
    worst.length ? grid(...worst) : null);
}

// --- runs ----------------------------------------------------------------------------------------------------------

function run(found, number) {
  const holder = el("div"), rivals = [...new Set(found.points.flatMap((point) => Object.keys(point.vs || {})))];
  const timed = found.points.every((point) => known(point.seconds));
  const buttons = el("div", { class: "controls" });

  function draw(label) {
    const at = (point) => (label === "minutes" ? point.seconds / 60 : point.decisions);
    const series = rivals.map((name, k) => ({ name: `against ${name}`, colour: COLOURS[k % COLOURS.length],
      points: found.points.filter((p) => p.vs && p.vs[name]).map((p) => [at(p), p.vs[name].diff, p.vs[name].low, p.vs[name].high]) }));
    const metrics = [...new Set(found.points.flatMap((p) => Object.keys(p)))].filter((name) => !["decisions", "seconds"].includes(name) && found.points.some((p) => known(p[name])));
    const small = metrics.map((name) => card(name, "third", lines([{ name, colour: "var(--bar)",
      points: found.points.filter((p) => known(p[name])).map((p) => [at(p), p[name]]) }], { width: 360, height: 170 })));
    const curve = series.length ? card("Points a deal more than", "", lines(series, { width: 1100, height: 340, zero: true, label }), key(series.map((one) => [one.name, one.colour]))) : null;
    holder.replaceChildren(...[curve && grid(curve), grid(...small)].filter(Boolean));
    [...buttons.children].forEach((button) => button.classList.toggle("on", button.textContent === label));
  }

  for (const label of timed ? ["decisions", "minutes"] : []) buttons.append(el("button", { onclick: () => draw(label) }, label));
  section(`run${number}`, `Learning: ${found.name}`, "Strength while it trains, with 95 % intervals.", buttons, holder);
  draw("decisions");
}

// --- games ---------------------------------------------------------------------------------------------------------

function games(films) {
  const holder = el("div");
  let current = null;
  const choose = (number) => {
    if (current) current.stop();
    current = player(DATA.reel, films[number]);
    holder.replaceChildren(current.node);
  };
  const select = el("select", { onchange: () => choose(+select.value), "aria-label": "game" }, films.map((film, number) => el("option", { value: number }, film.title)));
  section("games", "Games", "All hands open. Click a turn, or click the picture's surroundings and use the arrow keys.",
    el("div", { class: "card" }, films.length > 1 ? el("div", { class: "controls" }, select) : null, holder));
  choose(0);
}

// --- the page ------------------------------------------------------------------------------------------------------

document.getElementById("about").textContent = DATA.about;
DATA.tournaments.forEach(tournament);
DATA.runs.forEach(run);
if (DATA.matches.length) matches(DATA.matches);
if (DATA.exploits.length) exploits(DATA.exploits);
if (DATA.regrets.length) regrets(DATA.regrets);
DATA.styles.forEach(styles);
if (DATA.films.length) games(DATA.films);
if (DATA.notes.length) section("notes", "Notes", "", el("div", { class: "card" }, DATA.notes.map((note) => el("p", { class: "failure" }, note))));
