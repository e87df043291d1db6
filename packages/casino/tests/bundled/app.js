/** The app that tests/bundlers.py builds: a game between a local policy and one in a worker. */

import { Game, loadKernels, makeAgent, observe, usePolicies } from "casino-env";
import { RemoteAgents } from "casino-env/agents/remote.js";
import { engine, policies } from "./places.js";

await loadKernels(engine);
usePolicies(policies);
const crew = new RemoteAgents({ ...engine, policies });
const seats = [await makeAgent("policy:khasino-2,turns=1"), await crew.of("policy:khasino-2,turns=1")];
const game = new Game("khasino", 2, 7);
seats.forEach((agent, seat) => agent.reset(seat, 7));
while (!game.over) {
  game.apply(await seats[game.seat].act(observe(game)));
  document.body.dataset.first ??= String(Math.round(performance.now()));
}
document.title = game.scores().join(" ");
