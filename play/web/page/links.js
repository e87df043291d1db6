// Games as links: to play by turns, to send a friend the same deal, to show a finished game.

import { Table, ahead, dayOfId, forkOf, hasDecided, linkOf, readLink, tableOfLink } from "./table/index.js";
import { h, input } from "./dom.js";
import { sheet, toast } from "./sheet.js";
import * as store from "./store.js";
import { plain, signed, t } from "./text.js";

/** @import { Kept } from "./store.js" */
/** @import { Seen, Sheet } from "./table/shapes.js" */
/** @import { SheetButton } from "./sheet.js" */

/** @type {Intl.DateTimeFormatOptions} */
const WHEN = { day: "numeric", month: "short" };
const DAY = 86_400_000; // milliseconds

/** The purpose of a link: the next turn, a deal to play, the result of a deal that was sent, a game to watch.
 * @typedef {"turn" | "deal" | "reply" | "watch"} Kind */

/** @param {Kind} kind @param {Table} table @param {string} id */
export function addressOf(kind, table, id) {
  const deal = kind === "deal" || kind === "reply";
  return pageAddress(deal ? "deal" : kind, linkOf(table, id, { deal }));
}

/** This page, with letters that it reads when it is opened. @param {string} kind @param {string} letters */
export function pageAddress(kind, letters) {
  const url = new URL(location.href);
  url.search = "";
  url.hash = `${kind}=${letters}`;
  return url.href;
}

/** @param {Kind} kind @param {string} address */
export const showLink = (kind, address) => sheet(t(`link.${kind}`),
  [h("p", {}, t(`link.${kind}.about`)), linkField(address)], copyButtons(address));

/** @param {string} address */
export const linkField = (address) => h("input",
  { id: "link", readonly: true, value: address, "aria-label": t("link"), onfocus: () => input("link").select() });

/** Buttons to copy or share the link that a sheet shows. @param {string} address */
export function copyButtons(address) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(address);
      toast(t("link.copied"));
    } catch { // the browser forbids it: select the link, to be copied by hand
      input("link").select();
      return true;
    }
  };
  /** @type {SheetButton[]} */
  const buttons = [{ words: t("link.copy"), id: "link-copy", main: true, run: copy }];
  if ("share" in navigator) buttons.push({ words: t("link.share"), id: "link-share",
    run: () => navigator.share({ title: t("title"), url: address }).then(() => undefined) });
  return buttons;
}

/** Share a result as a line of text with a link to the same deal. @param {Kept} kept @param {Seen} seen
 * @param {string} address */
export async function shareResult(kept, seen, address) {
  const { sides, points } = /** @type {Sheet} */ (seen.sheet), yours = sides.findIndex(({ you }) => you);
  const others = points.filter((_, side) => side !== yours), known = await store.result(kept.id);
  const play = known?.play ?? 0;
  const text = t("share.text", {
    game: plain(seen.scene.title), mine: points[yours], others: others.join(", "),
    play: signed(play), told: `${known?.play !== undefined}`,
    day: dayText(kept),
  });
  if (typeof navigator.share === "function")
    return navigator.share({ text, url: address }).catch(() => {}); // cancelled
  await navigator.clipboard.writeText(`${text} ${address}`);
  toast(t("share.copied"));
}

/** @param {Kept} kept */
function dayText({ id, touched }) {
  const day = dayOfId(id);
  return day === null ? new Date(touched).toLocaleDateString(undefined, WHEN)
    : new Date(day * DAY).toLocaleDateString(undefined, { ...WHEN, timeZone: "UTC" }); // the same date everywhere
}

/** Store the game of a link and return its address on this device. A link that continues a stored game updates it; one
 * that contradicts it becomes a second game, and the person chooses.
 * @param {string} kind @param {string} text */
export async function received(kind, text) {
  const deal = kind === "deal", link = readLink(text, { deal }), known = await store.game(link.id),
    here = known ? Table.load(known.saved) : null, further = here ? ahead(here, link) : null;
  const duplicate = deal && link.points ? { by: "friend", points: link.points } : null;
  if (known && further !== null) { // the same game: the link has a friend's result, or is behind, or is ahead
    if (duplicate) await store.keep({ ...known, duplicate });
    if (!deal && further < 0) toast(t("link.old"));
    if (deal || further <= 0) return `game=${known.id}`;
    const seat = known.saved.setup.seats.indexOf("you");
    return keepGame(tableOfLink(link, seat), known);
  }
  const id = known ? await store.freeId(link.id) : link.id, now = Date.now();
  const table = tableOfLink(link, deal ? link.setup.seats.indexOf("you") : null);
  const sent = { ...(duplicate && { duplicate, challenged: true }), ...(hasDecided(table) && { elsewhere: true }) };
  const address = await keepGame(table, { id, begun: now, touched: now, ...sent });
  return known && here ? choose(`game=${known.id}`, address, plain(forkOf(here, link))) : address;
}

/** @param {Table} table @param {Partial<Kept> & { id: string, begun: number, touched: number }} about */
async function keepGame(table, about) {
  await store.keep({ how: null, ...about, saved: table.save(), over: table.over });
  return table.over && about.elsewhere ? `replay=${about.id}` : `game=${about.id}`;
}

/** Ask which of two games to continue. @param {string} here @param {string} other @param {string} why they differ */
async function choose(here, other, why) {
  let chosen = here;
  await sheet(t("link.other"), [h("p", {}, t("link.other.about", { why }))],
    [{ words: t("link.other.open"), id: "link-other", run: () => { chosen = other; } }], t("link.other.here"));
  return chosen;
}
