/** Who plays on in a search: a bot, or a trained policy; made ready for kernels. */

import { ACTIONS } from "../game/actions.js";
import { botRecord, botsOf } from "./bots.js";
import { closest } from "../game/validate.js";
import { Shape } from "./files.js";
import { makeLayout } from "./layout.js";
import { Policy, mostOf } from "./policy.js";

/** @import { Kernels, Records } from "../kernels/kernels.js" */
/** @import { Memory } from "../kernels/memory.js" */
/** @import { Rules } from "../game/rules.js" */

/** A bot's name, or the policy of `policy:NAME`. @param {Kernels} kernels
 * @param {import("./policies.js").Policies} policies @param {string} name @returns {Promise<string | Policy>} */
export async function findRolloutPolicy(kernels, policies, name) {
  if (name.startsWith("policy:")) {
    const weights = await policies.load(name.slice("policy:".length)).catch((error) => {
      throw new Error(`rollout = ${error.message}`, { cause: error });
    });
    const { turns, width, exact } = kernels.constant("agents.search.rollouts", "_LEAST"), { play } = weights;
    const least = { turns: Math.max(turns, play.turns), width: Math.max(width, play.width),
      exact: Math.max(exact, play.exact) };
    return new Policy(kernels, weights, { ...(weights.shape.judgesActions ? {} : least), temperature: 0 });
  }
  const known = Object.keys(botsOf(kernels));
  if (!known.includes(name))
    throw new Error(`rollout = '${name}'${closest(name, known)}; it must be policy:NAME or one of ${known.join(", ")}`);
  return name;
}

/** The sizes of its network; of a bot some that nobody looks at. @param {Kernels} kernels
 * @param {string | Policy} who */
export function shapeOfPlayer(kernels, who) {
  if (who instanceof Policy) return who.weights.shape;
  const { features, hidden, values, logits } = kernels.constant("agents.search.rollouts", "_NOBODY");
  return new Shape(features, hidden, values, logits);
}

/** As kernels have it, with its workspace. @param {Memory} memory @param {string | Policy} who @param {Rules} rules
 * @param {Records} record */
export function newRolloutPolicy(memory, who, rules, record) {
  const { kernels } = memory, c = kernels.constants("agents.search.rollouts");
  const shape = shapeOfPlayer(kernels, who);
  const judge = who instanceof Policy ? who.judgeOf(memory, rules) : noJudge(memory, rules, shape);
  const player = {
    bot: botRecord(memory, typeof who === "string" ? who : "random", record), judge,
    memory: kernels.constant("knowledge.view", "PERFECT"), temperature: shape.judgesActions ? 1 : c._TEMPERATURE,
    epsilon: 0, tried: c._TRIED,
  };
  const work = memory.workspace("Workspace", { features: mostOf(judge), ...shape.sizes });
  return { player, work, prior: memory.array("f64", ACTIONS), mover: player };
}

/** The same network judges, but the best bot plays on: a turn takes it a tenth of the time. The workspace is the same.
 * @param {Memory} memory @param {ReturnType<typeof newRolloutPolicy>} policy @param {Rules} rules
 * @param {Records} record */
export function withBot(memory, policy, rules, record) {
  const { player } = policy, bot = botRecord(memory, rules.partners ? "partner" : "counter", record);
  return { ...policy, mover: { ...player, bot, judge: { ...player.judge, theta: memory.array("f32", 0) } } };
}

/** @param {Memory} memory @param {Rules} rules @param {Shape} shape */
function noJudge(memory, rules, shape) {
  const layout = memory.copies(makeLayout(memory.kernels, rules).record);
  return { layout, theta: memory.array("f32", 0), shape: memory.numbers("i64", shape.record), value_scale: 1 };
}
