/** Whether searches come to the same here as in Python: node tests/searches.js FILE, of tests/test_javascript_agents.py. */

import { readFileSync } from "node:fs";
import { Judge } from "../src/agents/analyse.js";
import { TreeSearch } from "../src/agents/ismcts.js";
import { policies, usePolicies } from "../src/agents/registry.js";
import { findRolloutPolicy } from "../src/agents/rollouts.js";
import { Budget, resolved } from "../src/agents/settings.js";
import { TurnSearch } from "../src/agents/turn_search.js";
import { loadKernels, makeRules, Observed } from "../src/index.js";

const NEAR = 1e-3; // points
const kernels = await loadKernels();
usePolicies(new URL("../../../agents/policies/", import.meta.url));

const near = (one, other) => Math.abs(one - other) < NEAR;
const all = (list, fits) => list.every(fits);

/** By what is searched: whether each step comes to the same. */
const SEARCHES = {
  async turns({ policy, sims, seed, importance }) {
    const search = new TurnSearch(kernels, await findRolloutPolicy(kernels, policies(), `policy:${policy}`, "rollout"), { importance });
    return (seen, { watched, action, values }) => {
      if (watched) return search.watch(seen) ?? true;
      const found = search.think(seen, new Budget(sims, 0), BigInt(seed));
      return found.action === action && all(Object.entries(values), ([each, points]) => near(found.values.get(Number(each)), points));
    };
  },
  async tree({ settings, seed }) {
    const known = resolved(kernels, settings), search = new TreeSearch(kernels, known, known.guide, known.rollout);
    return (seen, { visits }) => {
      const found = search.search(seen, new Budget(known.sims, 0), BigInt(seed));
      return all(seen.legal(), (action, i) => found.visits[action] === visits[i]);
    };
  },
  async advice({ options }) {
    const judge = new Judge();
    return async (seen, { by, turns }) => {
      const found = await judge.advise(seen, options);
      const same = ({ actions, value, low, high, chance, games }, k) => {
        const own = found.turns[k], numbers = [[own.value, value], [own.low, low], [own.high, high], [own.chance, chance], [own.games, games]];
        return own.actions.join() === actions.join() && all(numbers, ([one, other]) => near(one, other));
      };
      return found.by === by && found.turns.length === turns.length && all(turns, same);
    };
  },
};

const told = { same: 0, other: 0 };
for (const row of JSON.parse(readFileSync(process.argv[2], "utf8"))) {
  const rules = makeRules(row.variant, row.players), search = await SEARCHES[row.kind](row);
  for (const step of row.steps) {
    const view = kernels.values("GAME", new Uint8Array(Buffer.from(step.view, "base64")));
    told[(await search(new Observed(rules, step.seat, view, step.legal), step)) ? "same" : "other"]++;
  }
}
console.log(JSON.stringify(told));
