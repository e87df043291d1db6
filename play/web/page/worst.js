// The worst turns of a finished game as exercises, as its review has found them.

import { Table, planWords, timeLine } from "./table/index.js";
import { h } from "./dom.js";
import { ExerciseView } from "./exercise.js";
import { plain, said, say, t } from "./text.js";

/** @import { Kept } from "./store.js" */

const SECONDS = 1; // of a judgement

/** @param {Kept} kept that has been reviewed @param {() => void} rules */
export function worstTurns(kept, rules) {
  const { setup } = kept.saved, line = timeLine(Table.load(kept.saved).record(), setup.seats);
  const steps = kept.review?.worst ?? [];
  const exercise = (/** @type {number} */ number) => {
    const step = steps[number], game = line.game(step), played = planWords(game.record, game.rules, line.turnAt(step), line.names);
    const task = [h("p", {}, t("try.task")), h("p", {}, t("try.played"), " ", said(played))];
    return { position: game.toJson(), specs: setup.seats, task, how: { seconds: SECONDS }, open: false };
  };
  return new ExerciseView({ count: steps.length, at: exercise }, { title: plain(say(`game.${setup.variant}`)), leave: `#review=${kept.id}`, rules });
}
