// Connect two pages: one sends an invitation, the other an answer, as links or QR codes.

import { h, input } from "../dom.js";
import { copyButtons, linkField, pageAddress } from "../links.js";
import { sheet, shut } from "../sheet.js";
import * as store from "../store.js";
import { readLink } from "../table/index.js";
import { plain, say, t } from "../text.js";
import { newNumber, sealOf, seedOf } from "./agreement.js";
import { accept, answer, canConnect, insist, isFar, newCertificate, offer } from "./connection.js";
import { keepNote, noteOf } from "./notes.js";
import { qrPicture } from "./qr.js";
import { Room, roomOf } from "./room.js";
import { answerText, areTwo, invitationText, readAnswer, readInvitation } from "./signalling.js";

/** @import { Setup } from "../table/shapes.js" */
/** @import { Answer, Invitation } from "./signalling.js" */
/** @import { Note } from "./notes.js" */

const HEARD = 1500; // milliseconds to wait for another tab to confirm that it has taken the answer

/** Handlers of awaited answers, by id of the game. @type {Map<string, (answer: Answer) => Promise<void>>} */
const waiting = new Map();
const pages = new BroadcastChannel("casino-live");
pages.onmessage = (/** @type {MessageEvent} */ { data }) => {
  if (typeof data?.answer === "string") take(data.answer).then((got) => got && pages.postMessage({ got: data.answer }));
};

/** @param {string} text a link, or its letters @returns {Promise<boolean>} whether this page was waiting for it */
async function take(text) {
  const given = readAnswer(text), run = waiting.get(given.id);
  if (!run) return false;
  await run(given);
  waiting.delete(given.id);
  return true;
}

/** Show a link to send, and the next step; the sheet stays open after the link is copied.
 * @param {"invite" | "answer"} kind @param {string} address @param {Node[]} [more]
 * @param {import("../sheet.js").SheetButton[]} [buttons] */
function show(kind, address, more = [], buttons = []) {
  const copying = copyButtons(address).map(({ run, ...each }) => ({ ...each, run: async () => {
    await run();
    return true;
  } }));
  return sheet(t(`live.${kind}`), [
    h("p", {}, t(`live.${kind}.about`, { far: `${isFar()}` })), linkField(address),
    h("details", { id: "qr" }, h("summary", {}, t("live.qr")), qrPicture(address, t("live.qr"))), ...more],
  [...copying, ...buttons]);
}

/** @param {string} address */
function showInvitation(address) {
  const field = h("input", { id: "live-answer", autocomplete: "off", "aria-label": t("live.answer.paste"),
    placeholder: t("live.answer.paste") });
  const connect = async () => {
    if (!await take(input("live-answer").value)) throw new Error(t("live.answer.none"));
  };
  return show("invite", address, [field, h("p", { class: "about" }, t("live.fair"))],
    [{ words: t("live.connect"), id: "live-connect", run: connect }]);
}

/** Invite somebody to a game that begins once they answer. @param {Setup} setup its seed is ignored */
export async function invite({ variant, seats, rules, match }) {
  if (!canConnect()) throw new Error(t("live.cannot"));
  if (!areTwo(seats)) throw new Error(t("live.two"));
  const id = `${Date.now().toString(36)}-${newNumber().replace(/\W/g, "").slice(0, 10)}`, opening = newNumber();
  const terms = { id, variant, seats, rules, match }, seal = await sealOf(opening);
  const room = new Room({ id, role: "host", terms, seal, opening, number: "", touched: 0,
    certificate: await newCertificate() });
  const end = room.expect(), way = await offer(end);
  waiting.set(id, async (given) => {
    room.note.number = given.number;
    await accept(end, given.way);
    insist(end, given.way);
    await room.begin(/** @type {string} */ (await seedOf(room.note)));
    room.enter();
  });
  setTimeout(() => showInvitation(pageAddress("live", invitationText({ id, way, terms, seal }))));
}

/** Invite the other player back to a game that is on both devices. @param {Room} room */
export async function inviteAgain(room) {
  const { id } = room.note, end = room.expect(), way = await offer(end);
  waiting.set(id, async (given) => {
    await accept(end, given.way);
    insist(end, given.way);
    shut();
  });
  showInvitation(pageAddress("live", invitationText({ id, way, terms: null, seal: "" })));
}

/** Handle an invitation that was opened. @param {string} letters */
export async function invited(letters) {
  if (!canConnect()) throw new Error(t("live.cannot"));
  const invitation = readInvitation(letters), { id, terms } = invitation, note = await noteOf(id);
  if (!terms || note) {
    if (!note || (terms && (note.role === "host" || note.seal !== invitation.seal))) throw new Error(t("live.unknown"));
    return join(invitation, note);
  }
  if (await store.game(id)) throw new Error(t("live.unknown"));
  const game = plain(say(`game.${terms.variant}`)), players = terms.seats.length;
  const others = Object.keys(terms.rules).map((field) => plain(say(`switch.${field}`))).join("; ");
  await sheet(t("live.invited"), [h("p", {}, t("live.invited.about", { game, players })),
    others ? h("p", {}, t("live.invited.rules", { others })) : null, h("p", { class: "about" }, t("live.fair"))],
  [{ words: t("live.sit"), id: "live-sit", main: true, run: async () => {
    const certificate = await newCertificate();
    await join(invitation, { id, role: "guest", terms, seal: invitation.seal, number: newNumber(), opening: "",
      certificate, touched: 0 });
    return true;
  } }], t("cancel"));
}

/** @param {Invitation} invitation @param {Note} note */
async function join({ id, way }, note) {
  await keepNote(note);
  const room = await roomOf(id) ?? new Room(note), end = room.expect(), given = await answer(end, way);
  insist(end, way);
  show("answer", pageAddress("answer", answerText({ id, way: given, number: note.number })));
}

/** Handle an answer that was opened as a link: pass it to the page that waits for it, this one or another tab.
 * @param {string} letters */
export async function answered(letters) {
  if (await take(letters)) return;
  const got = await new Promise((resolve) => {
    const heard = (/** @type {MessageEvent} */ { data }) => data?.got === letters && resolve(true);
    pages.addEventListener("message", heard);
    pages.postMessage({ answer: letters });
    setTimeout(() => resolve(false), HEARD);
  });
  await sheet(t("live.answer"), [h("p", {}, t(got ? "live.answer.got" : "live.answer.none"))]);
}

/** Check the deal of a game whose host sent a turn as a link before the pages were connected. @param {string} link
 * @param {string} opening */
export async function openedByLink(link, opening) {
  await (await roomOf(readLink(link).id))?.opened(opening);
}
