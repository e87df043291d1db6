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

// The charts of a section: drawn already (charts.py).
function charts(id) {
  return (DATA.charts[id] || []).map(({ title, svg, width }) => {
    const holder = el("div", { class: "scroll" });
    holder.innerHTML = svg;
    return card(title, width < 400 ? "third" : width < 800 ? "half" : "", holder);
  });
}

// --- tournaments ---------------------------------------------------------------------------------------------------

function tournament(found, number) {
  const { settings, ratings, pairs, failures, nash } = found;
  const names = ratings.map(named);
  const played = pairs.reduce((sum, pair) => sum + pair.deals, 0);
  const about = `${settings.variant}, ${settings.players} players, ${names.length} agents, ${whole(played)} deals, each in all seatings, seed ${settings.seed}.`;
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
  const told = "Whiskers and ± are 95 % intervals, by deal; the mean of all agents is 0. Nash: how often somebody who has to name an agent that no other beats would name each. alpha-rank: how much of the time a crowd that copies what wins spends with each.";
  section(`tournament${number}`, `Tournament: ${found.name}`, `${about} ${told}`,
    ratings.length ? [grid(charts(`tournament${number}`)),
      grid(card("Standings", "", table(ratings, columns))),
      grid(card("Points a deal of the row over the column", "", heat(names, cell)))] : el("p", {}, "Nothing has been played yet."),
    failures.length ? grid(card("Failures", "", failures.map((text) => el("p", { class: "failure" }, text)))) : null);
}

// --- matches and exploits ------------------------------------------------------------------------------------------

function matches(rows) {
  const name = (row) => `${row.a} over ${row.b}`;
  const where = (row) => `${row.variant}, ${row.players} players`;
  section("matches", "Matches", "Points a deal of the first over the second, on the same cards in exchanged seats.",
    grid(charts("matches"),
      card("", "half", table(rows, [["match", name, name], ["game", where, where], ["points", (row) => row.diff, (row) => signed(row.diff)],
        ["95 % interval", (row) => row.low, (row) => between(row.low, row.high)], ["wins", (row) => row.win_a, (row) => percent(row.win_a)], ["deals", (row) => row.deals, (row) => whole(row.deals)], ["seed", (row) => row.seed, (row) => row.seed ?? "-"]]))));
}

function exploits(rows) {
  const what = (row) => (row.method === "exact" ? "exact" : `at least, by ${row.method}`);
  section("exploits", "Exploitability", "What an opponent that knows the agent wins from it a deal.",
    grid(charts("exploits"),
      card("", "half", table(rows, [["agent", named, named], ["game", (row) => row.variant, (row) => row.variant], ["how", what, what],
        ["points a deal", (row) => row.exploited.mean, (row) => fixed(row.exploited.mean, 3)], ["95 % interval", (row) => row.exploited.low, (row) => between(row.exploited.low, row.exploited.high)]]))));
}

// --- style ---------------------------------------------------------------------------------------------------------

function styles(found, number) {
  section(`style${number}`, `Style: ${found.title}`, `${whole(found.rows[0].deals)} deals an agent, against ${found.against}. A turn may hold several plays.`,
    grid(charts(`style${number}`)));
}

// --- regret --------------------------------------------------------------------------------------------------------

function regrets(rows) {
  const worst = rows.flatMap((row) => row.worst.filter((one) => one.frame).map((one) => card(row.agent, "half position", tablePicture(DATA.reel, one.frame),
    el("p", {}, "lost ", el("b", {}, one.lost), ` by ${one.chosen} instead of ${one.best.join(" or ")}`),
    el("details", {}, el("summary", {}, "position"), el("pre", {}, JSON.stringify(one.position))))));
  section("regret", "Regret", `Points lost in endings against perfect play, with at most ${Math.max(...rows.map((row) => row.cards))} cards a hand and all of them known.`,
    grid(charts("regret")),
    worst.length ? grid(...worst) : null);
}

// --- runs ----------------------------------------------------------------------------------------------------------

function run(found, number) {
  const holder = el("div"), buttons = el("div", { class: "controls" });
  const kinds = { decisions: charts(`run${number}`), minutes: charts(`run${number}minutes`) };
  const show = (kind) => {
    holder.replaceChildren(grid(kinds[kind]));
    [...buttons.children].forEach((button) => button.classList.toggle("on", button.textContent === kind));
  };
  for (const kind of kinds.minutes.length ? ["decisions", "minutes"] : []) buttons.append(el("button", { onclick: () => show(kind) }, kind));
  section(`run${number}`, `Learning: ${found.name}`, `${found.about} Strength while it trains, with 95 % intervals.`.trim(), buttons, holder);
  show("decisions");
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

document.getElementById("about").append(...DATA.about.map((line) => el("p", {}, line)));
document.getElementById("said").append(...DATA.said.map((line) => el("li", {}, line)));
DATA.tournaments.forEach(tournament);
DATA.runs.forEach(run);
if (DATA.charts.curves.length) section("curves", "Learning, compared", "All runs that are given, with 95 % intervals.", grid(charts("curves")));
if (DATA.matches.length) matches(DATA.matches);
if (DATA.exploits.length) exploits(DATA.exploits);
if (DATA.regrets.length) regrets(DATA.regrets);
DATA.styles.forEach(styles);
if (DATA.films.length) games(DATA.films);
if (DATA.notes.length) section("notes", "Notes", "", el("div", { class: "card" }, DATA.notes.map((note) => el("p", { class: "failure" }, note))));
