// The same deal played by somebody else: the cards, the others and what these draw are the same.

import { Table } from "./table.js";

/** @import { Setup, Sheet } from "./shapes.js" */
/** @import { Agents } from "./table.js" */

/**
 * What an agent makes of a deal in the person's place.
 * @param {Setup} setup
 * @param {string} spec
 * @param {Agents} agents
 * @returns {Promise<Sheet>}
 */
export async function playedBy(setup, spec, agents) {
  const table = new Table(setup);
  while (!table.over) await table.advance(agents, table.mine ? spec : table.decider);
  return /** @type {Sheet} */ (table.seen().sheet);
}
