// Games as links: to play by turns, to give a friend the same deal, to show a game that is over.

import { Table, linkOf, readLink, tableOfLink } from "./table/index.js";
import { h, input } from "./dom.js";
import { sheet, toast } from "./sheet.js";
import * as store from "./store.js";
import { t } from "./text.js";

/** @import { Kept } from "./store.js" */
/** @import { SheetButton } from "./sheet.js" */

/** What a link is for: the next turn, a deal to be played, what came of one that was sent, a game to be seen.
 * @typedef {"turn" | "deal" | "reply" | "watch"} Kind */

/** @param {Kind} kind @param {Table} table @param {string} id */
export function addressOf(kind, table, id) {
  const url = new URL(location.href);
  url.search = "";
  const deal = kind === "deal" || kind === "reply";
  url.hash = `${deal ? "deal" : kind}=${linkOf(table, id, { deal })}`;
  return url.href;
}

/** @param {Kind} kind @param {string} address */
export function showLink(kind, address) {
  const field = h("input",
    { id: "link", readonly: true, value: address, "aria-label": t("link"), onfocus: () => input("link").select() });
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(address);
      toast(t("link.copied"));
    } catch { // not every browser lets a page do that: it is there to be copied by hand
      input("link").select();
      return true;
    }
  };
  /** @type {SheetButton[]} */
  const buttons = [{ words: t("link.copy"), id: "link-copy", run: copy }];
  if ("share" in navigator) buttons.push({ words: t("link.share"), id: "link-share",
    run: () => navigator.share({ title: t("title"), url: address }).then(() => undefined) });
  return sheet(t(`link.${kind}`), [h("p", {}, t(`link.${kind}.about`)), field], buttons);
}

/** What has come by a link is kept, and its address on this device is told. @param {string} kind
 * @param {string} text */
export async function received(kind, text) {
  const link = readLink(text), { id } = link, known = await store.game(id), now = Date.now();
  /** @param {Table} table @param {Partial<Kept>} [more] */
  const keep = async (table, more = {}) => {
    const usual = { id, begun: now, touched: now, how: null };
    await store.keep({ ...usual, ...known, saved: table.save(), over: table.over, ...more });
    return `game=${id}`;
  };
  if (kind === "deal") {
    const duplicate = link.points && { by: "friend", points: link.points };
    if (known) { // it comes back with the friend's result
      await store.keep({ ...known, ...(duplicate && { duplicate }) });
      return `game=${id}`;
    }
    return keep(tableOfLink({ ...link, actions: [] }, link.setup.seats.indexOf("you")),
      duplicate ? { duplicate, challenged: true } : {});
  }
  const table = tableOfLink(link, known ? known.saved.setup.seats.indexOf("you") : null);
  // this device knows more
  if (known && Table.load(known.saved).game.log.length >= link.actions.length) return `game=${id}`;
  await keep(table);
  return table.over && !known ? `replay=${id}` : `game=${id}`;
}
