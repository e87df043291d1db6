/** Casino card games: rules, games, what a seat may know, records, and agents to play against. See docs/javascript.md. */

export { actionText, ACTIONS, parseAction } from "./actions.js";
export { agents, makeAgent, offered, usePolicies } from "./agents/registry.js";
export { cardName, cardsOf, maskOf, parseCard } from "./cards.js";
export { Game, IllegalActionError } from "./game.js";
export { Kernels, loadKernels, use } from "./kernels.js";
export { nextView, ToldError } from "./next_view.js";
export { NoDeterminizationError, observe, Observed } from "./observed.js";
export { PositionError } from "./position.js";
export { readRecord, RecordError, replay, writeRecord } from "./record.js";
export { makeRules, playerCounts, rulesOf, tables, variants } from "./rules.js";
export { TooManyTurnsError } from "./turns.js";
export { gameOf, viewOf } from "./views.js";
