/** Casino card games: rules, games, observations, records, and agents to play against. See docs/javascript.md. */

export { actionText, ACTIONS, parseAction } from "./game/actions.js";
export { agents, makeAgent, offered, usePolicies } from "./agents/registry.js";
export { cardName, cardsOf, maskOf, parseCard } from "./game/cards.js";
export { Game, IllegalActionError } from "./game/game.js";
export { Kernels, loadKernels, use } from "./kernels/kernels.js";
export { nextView, ToldError } from "./game/next_view.js";
export { NoDeterminizationError, observe, Observed } from "./game/observed.js";
export { PositionError } from "./game/position.js";
export { readRecord, RecordError, replay, writeRecord } from "./game/record.js";
export { makeRules, playerCounts, rulesOf, tables, variants } from "./game/rules.js";
export { TooManyTurnsError } from "./game/turns.js";
export { gameOf, viewOf } from "./game/views.js";
