// Live games: what is agreed on before a deal, what links contain, and logs that somebody has changed.

import assert from "node:assert/strict";
import test from "node:test";

import { agentsFault, faultOf, logOf, newNumber, restOf, sealOf, seedOf, setupOf,
  textOfLog } from "../page/live/agreement.js";
import { qrOf } from "../page/live/qr.js";
import { answerText, descriptionOf, invitationText, readAnswer, readInvitation,
  wayOf } from "../page/live/signalling.js";
import { bytesOf, lettersOf, packed } from "../page/table/code.js";
import { Table } from "../page/table/index.js";
import { Random, agents, tableOf } from "./tables.js";

const GAMES = [["mini", ["you", "friend"]], ["swazi", ["you", "friend"]], ["khasino", ["friend", "you"]],
  ["kasa", ["you", "greedy", "friend", "greedy"]]];

async function dealOf([variant, seats], rules = {}) {
  const opening = newNumber(), terms = { id: "game-1", variant, seats, rules, match: false };
  return { terms, seal: await sealOf(opening), number: newNumber(), opening };
}

/** Play a whole game with random moves of the two people. */
async function played(game, seed) {
  const deal = await dealOf(game), table = new Table(setupOf(deal.terms, await seedOf(deal), "host")),
    random = new Random(seed);
  while (!table.over) {
    if (table.decider) await table.advance(agents);
    else if (table.mine) table.play(random.of(table.moves()).actions);
    else table.redo([random.of(table.game.legal())]);
  }
  return [deal, table];
}

test("the seed follows from both numbers, and from what was agreed on", async () => {
  const deal = await dealOf(GAMES[1]), seed = await seedOf(deal);
  assert.match(seed, /^\d{1,20}$/);
  assert.equal(await seedOf(structuredClone(deal)), seed);
  for (const other of [{ number: newNumber() }, { terms: { ...deal.terms, rules: { aces_high: true } } },
    { terms: { ...deal.terms, id: "game-2" } }]) assert.notEqual(await seedOf({ ...deal, ...other }), seed);
  for (const other of [{ opening: newNumber() }, { seal: newNumber() }, { number: "short" }, { opening: 5 }])
    assert.equal(await seedOf({ ...deal, ...other }), null);
  assert.deepEqual(setupOf(deal.terms, seed, "guest").seats, ["friend", "you"]);
});

test("a thousand logs that were changed are found, and none that was not", async () => {
  const random = new Random(9), found = {};
  let changed = 0;
  for (let round = 0; changed < 1000; round++) {
    const [deal, table] = await played(GAMES[round % GAMES.length], round), own = logOf(deal, table);
    assert.equal(await faultOf(own, textOfLog(structuredClone(own))), null);
    assert.equal(await agentsFault(own, agents), null);
    for (const [kind, text] of await changes(own, table, random)) {
      const fault = await faultOf(own, text);
      assert.ok(fault, `${kind}: ${text}`);
      found[kind] = { ...found[kind], [fault.part]: (found[kind]?.[fault.part] ?? 0) + 1 };
      changed += 1;
    }
  }
  assert.deepEqual(Object.keys(found.turn), ["turns"]);
  assert.deepEqual(Object.keys(found.deal), ["deal"]);
  assert.deepEqual(Object.keys(found.points), ["points"]);
});

/** Return forged logs (bytes, turns, numbers, seals), as a loser could make who knows how a log is made. */
async function changes(own, table, random) {
  const whole = textOfLog(own), made = [];
  for (let count = 0; count < 20; count++) {
    const at = random.below(whole.length), letter = String.fromCharCode(32 + random.below(95));
    if (letter !== whole[at]) made.push(["byte", whole.slice(0, at) + letter + whole.slice(at + 1)]);
    if (whole[at] !== whole[at + 1]) made.push(["cut", whole.slice(0, at) + whole.slice(at + 1)]);
  }
  for (let count = 0; count < 10; count++) {
    const other = otherTurn(own, table, random);
    if (other) made.push(["turn", textOfLog(other)]);
  }
  const opening = newNumber();
  for (const other of [{ opening, seal: await sealOf(opening) }, { opening }, { number: newNumber() },
    { terms: { ...own.terms, variant: own.terms.variant === "swazi" ? "khasino" : "swazi" } },
    { terms: { ...own.terms, seats: [...own.terms.seats].reverse() } }, { terms: { ...own.terms, match: true } }])
    made.push(["deal", textOfLog({ ...own, ...other })]);
  made.push(["points", textOfLog({ ...own, points: [own.points[0] + 1, ...own.points.slice(1)] })],
    ["points", textOfLog({ ...own, points: [...own.points].reverse().map((points) => points + 1) })]);
  return made;
}

/** Return the log with another legal move, from which the game is played to its end: all parts fit together. */
function otherTurn(own, table, random, at = random.below(table.game.log.length)) {
  const actions = bytesOf(own.actions), game = table.start.clone();
  for (const action of actions.slice(0, at)) game.apply(action);
  const others = game.legal().filter((action) => action !== actions[at]);
  if (!others.length) return null;
  game.apply(random.of(others));
  while (!game.over) game.apply(random.of(game.legal()));
  const made = game.log.map(([, action]) => action), ended = new Table(table.setup, { settled: false });
  ended.redo(made);
  return { ...logOf(own, ended), actions: lettersOf(made) };
}

test("what a friend says goes on from here, by the rules, and never plays for the person", async () => {
  const [, table] = await played(GAMES[1], 5), actions = table.game.log.map(([, action]) => action), { start } = table;
  for (const person of [0, 1]) {
    const game = start.clone(), rest = restOf(game, person, actions);
    for (const action of rest) game.apply(action);
    assert.equal(game.seat, person);
    assert.deepEqual(restOf(game, person, actions), []);
    assert.deepEqual(restOf(game, person, actions.slice(0, 1)), []);
    const illegal = [...Array(192).keys()].find((action) => !game.legal().includes(action));
    assert.equal(restOf(game, 1 - person, [...rest, illegal]), null);
    if (rest.length) assert.equal(restOf(game, person, [illegal, ...rest.slice(1)]), null);
  }
});

test("an agent that was played by somebody else is found", async () => {
  const [deal, table] = await played(GAMES[3], 3), own = logOf(deal, table), random = new Random(8);
  const byAgents = table.game.log.flatMap(([seat], at) => (seat % 2 ? [at] : []));
  let tried = 0;
  for (const at of byAgents) {
    const other = otherTurn(own, table, random, at);
    if (!other) continue;
    assert.equal((await agentsFault(other, agents)).part, "agents");
    tried += 1;
  }
  assert.ok(tried > 10, `${tried}`);
});

test("pictures of links are as a camera has read them", async () => { // jsQR read them, at all lengths
  const told = await Promise.all([1, 300, 858].map(async (length) => {
    const rows = qrOf("casino-live".repeat(78).slice(0, length)).map((row) => row.map(Number).join("")).join("\n");
    return `${rows.indexOf("\n")} ${await sealOf(rows)}`;
  }));
  assert.deepEqual(told, ["21 c1pnl1_xOqVXdFhFRM9jvS37R68z3acuG7bsjYapwjY",
    "61 dO33rDowqS9BiHWkcVOgSECJ0Zayz4VmzvmQg65jciY", "97 0eIjPPoxtLUWNHtOK07pR8wiCk9pIu_DSJOuWlyvuZ0"]);
  assert.equal(qrOf("x".repeat(859)), null);
});

// --- links -----------------------------------------------------------------------------------------------------------

const SDP = `v=0\r\no=- 1836717934727610281 2 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=group:BUNDLE 0\r
m=application 9 UDP/DTLS/SCTP webrtc-datachannel\r\nc=IN IP4 0.0.0.0\r
a=candidate:1825270384 1 udp 2113937151 f64cfd1a-1be6-4d9c-b2ab-a55e90de3946.local 49624 typ host generation 0\r
a=candidate:2 1 udp 1677729535 203.0.113.7 40000 typ srflx raddr 0.0.0.0 rport 0 generation 0 network-cost 999\r
a=candidate:3 1 tcp 1518280447 192.168.1.2 9 typ host tcptype active\r
a=ice-ufrag:W6+x\r\na=ice-pwd:AUPwzrkmANKsairdPFx2/i3R\r\na=ice-options:trickle\r
a=fingerprint:sha-256 06:B5:0B:9E:01:E7:6C:7F:51:7E:5E:48:92:21:39:9D:61:B0:6C:9F:76:81:C9:99:E8:D3:8D:6B:A5:BD:83:72\r
a=setup:actpass\r\na=mid:0\r\na=sctp-port:5000\r\na=max-message-size:262144\r\n`;

test("what WebRTC describes is said by an invitation and an answer", async () => {
  const way = wayOf(SDP), deal = await dealOf(GAMES[1]);
  const told = { id: "game-1", way, terms: deal.terms, seal: deal.seal };
  assert.deepEqual(way.places.map(([address, port, kind]) => `${address} ${port} ${kind}`),
    ["f64cfd1a-1be6-4d9c-b2ab-a55e90de3946.local 49624 host", "203.0.113.7 40000 srflx"]);
  const { sdp, type } = descriptionOf(way, "offer");
  assert.deepEqual([wayOf(sdp), type], [way, "offer"]);
  assert.match(descriptionOf(way, "answer").sdp, /a=setup:active/);
  assert.deepEqual(readInvitation(invitationText(told)), told);
  assert.ok(invitationText(told).length < 560, `${invitationText(told).length}`);
  const again = { id: "game-1", way, terms: null, seal: "" };
  assert.deepEqual(readInvitation(invitationText(again)), again);
  const answer = { id: "game-1", way, number: deal.number };
  assert.deepEqual(readAnswer(`https://example.org/#answer=${answerText(answer)} `), answer);
});

test("invitations and answers that are none are refused in a line", async () => {
  const way = wayOf(SDP), { name, word, print, places } = way, seal = newNumber(), number = newNumber();
  const refused = (run) => assert.throws(run, (error) => /link|setup|needs|must|seat|person/i.test(error.message)
    && !error.message.includes("\n"));
  const invited = (given, more = ["swazi", ["you", "friend"], {}, false, seal]) =>
    readInvitation(packed([1, Table.load(tableOf("mini").save()).save().rulesVersion, "a", given, ...more]));
  assert.equal(invited([name, word, print, places]).seal, seal);
  for (const bad of [null, [], [name, word, "x", places], [name, word, print, [["a b", 1, "host"]]],
    [`${name}\r\na=x`, word, print, places], [name, word, print, [["a", 0, "host"]]],
    [name, word, print, Array(99).fill(places[0])]]) refused(() => invited(bad));
  for (const more of [["swazi", ["you", "you"], {}, false, seal], ["swazi", ["you", "friend", "friend"], {}, false,
    seal], ["swazi", ["you", "person"], {}, false, seal], ["swazi", ["you", "friend"], {}, false, "x"],
    ["swazi", ["you", "friend", "strongest:sims=999999"], {}, false, seal]])
    refused(() => invited([name, word, print, places], more));
  for (const bad of ["", "AAAA", "%", packed({}), packed([1, "a b", [name, word, print, places], number]),
    packed([1, "a", [name, word, print, places], "x"]), "A".repeat(9000)]) {
    refused(() => readAnswer(bad));
    refused(() => readInvitation(bad));
  }
});
