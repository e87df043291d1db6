// Encode the signalling of two pages, an invitation and its answer, as letters of an address. A way is the part of a
// WebRTC session description that differs between connections.

import { use } from "../casino/src/kernels/kernels.js";
import { bytesOf, lettersOf, packed, unpacked } from "../table/code.js";
import { FRIEND, PERSON, TableError, inWords, makeSetup, maySit } from "../table/index.js";
import { isNumber } from "./agreement.js";

/** @import { Terms } from "./agreement.js" */

/** ICE user name and password, certificate fingerprint, and candidates. @typedef {{ name: string, word: string,
 * print: string, places: Place[] }} Way */
/** A candidate: address, port, kind. @typedef {[string, number, string]} Place */

/** terms and seal: of a new game; terms null: to continue a game that is on both devices.
 * @typedef {{ id: string, way: Way, terms: Terms | null, seal: string }} Invitation */
/** @typedef {{ id: string, way: Way, number: string }} Answer */

const VERSION = 1;
const LONGEST = 4096; // letters
const MOST_PLACES = 12;
const HOST = 2_113_937_151, OUTSIDE = 1_677_729_535; // candidate priorities, as browsers assign them
const KINDS = /** @type {const} */ (["host", "srflx"]);

/** @param {string} sdp @returns {Way} */
export function wayOf(sdp) {
  const one = (/** @type {string} */ name) => new RegExp(`^a=${name}:(.+?)\\s*$`, "m").exec(sdp)?.[1] ?? "";
  const print = one("fingerprint").replace(/^sha-256 /i, "").split(":").map((digits) => parseInt(digits, 16));
  const found = [...sdp.matchAll(/^a=candidate:\S+ 1 udp \d+ (\S+) (\d+) typ (host|srflx)/gim)];
  const places = found.map(([, address, port, kind]) => /** @type {Place} */ ([address, Number(port), kind]));
  return { name: one("ice-ufrag"), word: one("ice-pwd"), print: lettersOf(print), places };
}

/** @param {Way} way @param {"offer" | "answer"} type @returns {RTCSessionDescriptionInit} */
export function descriptionOf({ name, word, print, places }, type) {
  const digits = bytesOf(print).map((byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join(":");
  const lines = ["v=0", "o=- 1 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0",
    "m=application 9 UDP/DTLS/SCTP webrtc-datachannel", "c=IN IP4 0.0.0.0",
    ...candidatesOf(places).map((candidate) => `a=${candidate}`),
    `a=ice-ufrag:${name}`, `a=ice-pwd:${word}`, `a=fingerprint:sha-256 ${digits}`,
    `a=setup:${type === "offer" ? "actpass" : "active"}`, "a=mid:0", "a=sctp-port:5000", "a=max-message-size:262144"];
  return { type, sdp: lines.map((line) => `${line}\r\n`).join("") };
}

/** @param {Place[]} places */
export const candidatesOf = (places) => places.map(([address, port, kind], at) =>
  `candidate:${at + 1} 1 udp ${(kind === "host" ? HOST : OUTSIDE) - at} ${address} ${port} typ ${kind}${
    kind === "host" ? "" : " raddr 0.0.0.0 rport 0"}`);

/** Read a way from untrusted data; throw if it is invalid. @param {any} data @returns {Way} */
export function readWay(data) {
  const [name, word, print, places] = Array.isArray(data) ? data : [];
  const fine = ICE.test(name) && ICE.test(word) && isNumber(print) && Array.isArray(places)
    && places.length <= MOST_PLACES && places.every((each) => Array.isArray(each) && isPlace(each));
  if (!fine) throw new TableError("error.link");
  return { name, word, print, places };
}

const ICE = /^[\w+/-]{4,256}$/;

/** @param {any[]} place */
const isPlace = ([address, port, kind]) => typeof address === "string" && /^[\w.:-]{1,80}$/.test(address)
  && Number.isInteger(port) && port > 0 && port < 65_536 && KINDS.includes(kind);

/** @param {Way} way */
export const plainWay = ({ name, word, print, places }) => [name, word, print, places];

/** @param {Invitation} invitation */
export function invitationText({ id, way, terms, seal }) {
  const head = [VERSION, use().constant("rules", "RULES_VERSION"), id, plainWay(way)];
  return packed(terms ? [...head, terms.variant, terms.seats, terms.rules, terms.match, seal] : head);
}

/** Read an invitation; throw if it is invalid. @param {string} text @returns {Invitation} */
export function readInvitation(text) {
  const [version, rulesVersion, id, way, variant = null, seats, rules, match, seal = ""] = listOf(text);
  if (version !== VERSION || rulesVersion !== use().constant("rules", "RULES_VERSION") || !isId(id))
    throw new TableError("error.link");
  if (variant === null) return { id, way: readWay(way), terms: null, seal: "" };
  const setup = makeSetup({ variant, seats, rules, match });
  if (!isNumber(seal) || !areTwo(setup.seats) || !maySit(setup)) throw new TableError("error.link");
  return { id, way: readWay(way), terms: { id, variant, seats: setup.seats, rules, match }, seal };
}

/** Whether exactly two people play, one of them remote. @param {string[]} seats on either page */
export const areTwo = (seats) => [PERSON, FRIEND].every((who) => seats.filter((spec) => spec === who).length === 1)
  && !seats.includes("person");

/** @param {Answer} answer */
export const answerText = ({ id, way, number }) => packed([VERSION, id, plainWay(way), number]);

/** Read an answer; throw if it is invalid. @param {string} text a whole address, or its letters @returns {Answer} */
export function readAnswer(text) {
  const [version, id, way, number] = listOf(text.trim().replace(/^.*#answer=/, ""));
  if (version !== VERSION || !isId(id) || !isNumber(number)) throw new TableError("error.link");
  return { id, way: readWay(way), number };
}

/** @param {string} text @returns {any[]} */
function listOf(text) {
  const list = text.length > LONGEST ? null : inWords("error.link.bad", () => unpacked(text));
  if (!Array.isArray(list)) throw new TableError("error.link");
  return list;
}

/** @param {unknown} id */
const isId = (id) => typeof id === "string" && /^[\w-]{1,40}$/.test(id);
