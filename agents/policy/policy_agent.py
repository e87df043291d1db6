"""A trained network as an agent: `policy:PATH`, where PATH is a shipped name, a file or the folder of a run."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, NamedTuple

import numpy as np

from casino_env.agents.base import Analysis, Decisions, InBatches, as_batch
from casino_env.agents.policy.judging import Judge, decide_by_logits
from casino_env.agents.policy.lookahead import LEVELS, Levels, checked, decide_by_afterstates
from casino_env.agents.policy.mlp import Thought, value_outputs
from casino_env.agents.policy.policy_files import Weights
from casino_env.agents.workspaces import Recent, Turnstile, one_at_a_time
from casino_env.arrays import Array
from casino_env.compiler.library import pin
from casino_env.compiler.types import allocate
from casino_env.engine.state import rules_record
from casino_env.knowledge.layout import Layout, make_layout
from casino_env.observed import Observed
from casino_env.rules import Rules


def make_policy(path: str, **settings: Any) -> Policy:
    """Load a policy. settings: fields of PlaySettings in place of those of the file. Raise ValueError if it fails."""
    return Policy(Weights.load(path), **settings)


class _Fit(NamedTuple):
    """A game that the policy plays, with its workspace."""

    rules: Array
    layout: Layout
    judge: Judge
    levels: Levels
    pinned: Any  # judge and levels, pinned as arguments for kernels


class Policy(InBatches):
    """An agent that plays by a network; temperature 0 plays its best action."""

    def __init__(self, weights: Weights, **settings: Any) -> None:
        """settings: PlaySettings that override those of the weights."""
        given = {name: value for name, value in settings.items() if value is not None}
        self.weights, self.play = weights, checked(weights.play._replace(**given))
        self._rng = np.zeros(1, np.uint64)
        self.entrance = Turnstile()
        self._known = Recent[Rules, _Fit]()
        self._thought = allocate(Thought, features=weights.layout.most, **weights.shape.sizes)

    def __deepcopy__(self, memo: dict[int, Any]) -> Policy:
        """Copies share the weights, which are never written to."""
        twin = Policy(self.weights, **self.play._asdict())
        twin._rng = self._rng.copy()
        return twin

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_known": Recent()}  # workspaces are not copied

    def check(self, rules: Rules) -> None:
        self._fit(rules)

    def other_game(self, rules: Rules) -> str:
        """A message on how these rules differ from those it has learnt; empty if it has learnt them."""
        same = self.weights.layout.universal or self.weights.rules == rules
        return "" if same else _other_game(self.weights, rules)

    @property
    def digest(self) -> str:
        """Digest of the weights and their settings."""
        return self.weights.digest

    @one_at_a_time
    def analyse(self, observation: Observed) -> Analysis:
        action, chances = self.act(observation), self.probabilities(observation)
        return Analysis(action, chances, float(self.values_by_side(observation)[0]))

    @one_at_a_time
    def values_by_side(self, observation: Observed) -> Array:
        """The network's expected points ahead of the others: the observer's side first."""
        self.probabilities_of_many(*as_batch(observation))
        weights, values = self.weights, self._thought.values
        if not weights.shape.judges_actions:
            judged = self._fit(observation.rules).levels.judged
            found = int(judged.afterstates.walk["found"][0])
            values = judged.chances[:found] @ judged.values[:found, : weights.shape.values]
        return np.asarray(values * weights.value_scale)

    @one_at_a_time
    def _decide(self, rules: Rules, decisions: Decisions, streams: Array) -> None:
        fit, weights = self._fit(rules), self.weights
        judge, levels = fit.pinned
        if weights.shape.judges_actions:
            decide_by_logits(decisions, fit.rules, judge, self.play.temperature, streams, self._thought)
        if not weights.shape.judges_actions or self.play.turns > 1 or self.play.exact:
            decide_by_afterstates(decisions, fit.rules, judge, self.play, streams, levels)

    def layout_for_kernels(self, rules: Rules) -> Layout:
        """The layout that a kernel writes for the network; raise ValueError if it cannot play these rules."""
        return self._fit(rules).layout

    @one_at_a_time
    def _fit(self, rules: Rules) -> _Fit:
        """The cached _Fit for these rules; raise ValueError if the network cannot read their observation."""
        return self._known.find(rules, lambda: self._new_fit(rules))

    def _new_fit(self, rules: Rules) -> _Fit:
        ours = self.weights.layout
        layout = make_layout(rules, universal=ours.universal, match=ours.match)
        same = [(s.name, s.shape) for s in layout.segments] == [(s.name, s.shape) for s in ours.segments]
        if not same or value_outputs(rules) > self.weights.shape.values:
            raise ValueError(f"{self.weights.name} plays {_other_game(self.weights, rules)}")
        record, shape = rules_record(rules), self.weights.shape
        judge = Judge(layout.record, self.weights.theta, shape.record, self.weights.value_scale)
        levels = allocate(Levels, turns=self.play.turns, features=layout.most, **LEVELS, **shape.sizes)
        return _Fit(record, layout, judge, levels, (pin(judge), pin(levels)))


def _other_game(weights: Weights, rules: Rules) -> str:
    """What a network has learnt and what it is asked to play; within one game the switches that differ."""
    learnt, values = weights.rules, value_outputs(rules)
    game = f"{learnt.name} with {learnt.players} players"
    if (learnt.name, learnt.players) != (rules.name, rules.players):
        return f"{game}, not {rules.name} with {rules.players}"
    if learnt == rules:
        return f"{game}, but has {weights.shape.values} of the {values} values, one for each side, that this needs"
    was, now = asdict(learnt), asdict(rules)
    unlike = [f"{name} = {was[name]!r}, not {now[name]!r}" for name in was if was[name] != now[name]]
    return f"{game} and {'; '.join(unlike)}"
