/** Complete turns of agents, for the programs in this folder. */

import { observe } from "../page/casino/src/game/observed.js";
import { turnOf } from "../page/table/events.js";

/** Return the actions of the turn that an agent would play now. */
export async function turnBy(agent, game) {
  const ahead = game.clone(), turn = turnOf(game);
  while (!ahead.over && ahead.seat === game.seat && turnOf(ahead) === turn) {
    const legal = ahead.legal();
    ahead.apply(legal.length === 1 ? legal[0] : await agent.act(observe(ahead)));
  }
  return ahead.log.slice(game.log.length).map(([, action]) => action);
}
