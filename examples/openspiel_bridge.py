"""The games inside OpenSpiel: its algorithms run on them, exactly so on the `mini` presets.

    pip install 'casino-env[spiel]'
    python examples/openspiel_bridge.py --variant mini --algorithm cfr+ --iterations 20

Importing this module registers the game `python_casino`; `pyspiel.load_game("python_casino(variant=mini,players=2)")`.
All cards are dealt at the beginning by chance nodes; the players' information states show what each has seen.
"""

import argparse
import itertools
import math
import sys
import time
from dataclasses import replace

import numpy as np
import pyspiel

from casino_env import Game, make_rules, observe
from casino_env.actions import ACTIONS, action_text
from casino_env.cards import card_name, cards_of, deck_cards
from casino_env.observation import make_layout
from casino_env.position import names

_AT_ONCE = 1000  # a hand is one chance event if it can be dealt in so many ways, else one a card

_TYPE = pyspiel.GameType(
    short_name="python_casino",
    long_name="Casino card games of southern Africa",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=6,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=True,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"variant": "mini", "players": 2},
)


class CasinoGame(pyspiel.Game):
    """One deal; seat 0 leads. The returns are points less the mean of the other sides."""

    def __init__(self, params=None):
        params = params or {}
        rules = make_rules(str(params.get("variant", "mini")), int(params.get("players", 2)))
        self.rules = replace(rules, recut=False)  # a layout that is dealt again would not be a fair chance event
        self.layout = make_layout(self.rules)
        self.deck = deck_cards(self.rules.deck)
        most = 11.0 + 4 * self.rules.spade_cards * 4
        info = pyspiel.GameInfo(
            num_distinct_actions=ACTIONS,
            max_chance_outcomes=_AT_ONCE,
            num_players=self.rules.players,
            min_utility=-most,
            max_utility=most,
            utility_sum=0.0,
            max_game_length=400,
        )
        super().__init__(_TYPE, info, params)

    def new_initial_state(self):
        return CasinoState(self)

    def make_py_observer(self, iig_obs_type=None, params=None):
        return CasinoObserver(self.layout)


class _Play:
    """What a state carries: copied in one go, since OpenSpiel copies states all the time."""

    def __init__(self, rules, deck):
        self.left = deck  # cards not dealt yet
        self.places = [("layout", rules.table_cards)] if rules.table_cards else []
        self.places += [(seat, rules.hand_size) for seat in range(rules.players)]
        self.dealt = {"layout": [], "stock": [], **{seat: [] for seat in range(rules.players)}}
        self.game = None
        self.seen = [""] * rules.players  # what each seat has seen, in order

    def __deepcopy__(self, _memo):
        twin = object.__new__(_Play)
        twin.left, twin.places = self.left, self.places
        twin.dealt, twin.seen = dict(self.dealt), list(self.seen)
        twin.game = self.game and self.game.clone()
        return twin


class CasinoState(pyspiel.State):
    def __init__(self, game):
        super().__init__(game)
        self.rules = _Constant(game.rules)
        self.play = _Play(game.rules, tuple(game.deck))

    # --- chance: table, hands, then the stock card by card ---

    def _place(self):
        """Where the next cards go, and how many of them are dealt at once."""
        play = self.play
        if not play.places:
            return "stock", 1
        place, count = play.places[0]
        count -= len(play.dealt[place])
        return place, count if math.comb(len(play.left), count) <= _AT_ONCE else 1

    def _hands(self):
        return list(itertools.combinations(self.play.left, self._place()[1]))

    def chance_outcomes(self):
        outcomes = math.comb(len(self.play.left), self._place()[1])
        return [(outcome, 1.0 / outcomes) for outcome in range(outcomes)]

    def _deal(self, outcome):
        place, _ = self._place()
        cards = self._hands()[outcome]
        play = self.play
        play.dealt[place] = [*play.dealt[place], *cards]
        play.left = tuple(card for card in play.left if card not in cards)
        if play.places and len(play.dealt[place]) == play.places[0][1]:
            play.places = play.places[1:]
        if len(play.left) == 1 and not play.places:  # the last card of the stock is no chance any more
            play.dealt["stock"], play.left = [*play.dealt["stock"], *play.left], ()
        if not play.left:
            self._begin()

    def _begin(self):
        rules, dealt = self.rules.value, self.play.dealt
        position = {
            "variant": rules.name,
            "players": rules.players,
            "rules": rules.differences(),
            "to_move": 0,
            "hands": [names(dealt[seat]) for seat in range(rules.players)],
            "layout": names(dealt["layout"]),
            "stock": names(dealt["stock"]),
        }
        game = Game.from_json(position)
        self.play.game = game
        self.play.seen = [f"{''.join(names(dealt['layout']))}/{''.join(names(dealt[s]))}" for s in range(rules.players)]
        if len(game.legal()) == 1:
            self._do(game.legal()[0])

    # --- play ---

    def current_player(self):
        if self.play.game is None:
            return pyspiel.PlayerId.CHANCE
        return pyspiel.PlayerId.TERMINAL if self.play.game.over else self.play.game.seat

    def is_terminal(self):
        return self.play.game is not None and self.play.game.over

    def _legal_actions(self, _player):
        return self.play.game.legal()

    def _apply_action(self, action):
        if self.play.game is None:
            self._deal(action)
        else:
            self._do(action)

    def _do(self, action):
        """An action and the forced ones after it; every seat notes what it has seen of them."""
        game, rules = self.play.game, self.rules.value
        hands = [int(hand) for hand in game.record["hands"]]
        done = len(game.log)
        game.apply(action)
        events = ".".join(f"{seat}{action_text(act)}" for seat, act, _ in _public(game.log[done:]))
        for seat in range(rules.players):
            drawn = int(game.record["hands"][seat]) & ~hands[seat]
            new = "+" + "".join(names(cards_of(drawn))) if drawn else ""
            self.play.seen[seat] += f".{events}{new}{_uncovered(game, seat)}"

    def _action_to_string(self, player, action):
        if player == pyspiel.PlayerId.CHANCE:
            place, _ = self._place()
            return f"{place}: {' '.join(card_name(card) for card in self._hands()[action])}"
        return action_text(action)

    def returns(self):
        if not self.is_terminal():
            return [0.0] * self.num_players()
        points = self.play.game.scores()
        rules = self.rules.value
        sides = points[: rules.sides]
        return [own - (sum(sides) - own) / (rules.sides - 1) for own in points]

    def information_state_string(self, player=None):
        return self.play.seen[self.current_player() if player is None else player]

    def __str__(self):
        if self.play.game is None:
            return f"dealing, {len(self.play.left)} cards left"
        return str(self.play.game)


class _Constant:
    """Something that copies of a state share."""

    def __init__(self, value):
        self.value = value

    def __deepcopy__(self, _memo):
        return self


def _public(log):
    """Refused requests and the sorting of piles are no events (they appear as nothing)."""
    return [(seat, action, begins) for seat, action, begins in log if action_text(action) != "no"]


def _uncovered(game, seat):
    """Secret piles: what a steal uncovers is news to all."""
    if game.rules.stacking != "secret":
        return ""
    return "^" + "".join(card_name(int(card)) for card in game.record["pile_top"] if card >= 0)


class CasinoObserver:
    """The environment's own observation vector, and the string of all that has been seen."""

    def __init__(self, layout):
        self.layout = layout
        self.tensor = np.zeros(layout.size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state, player):
        if state.play.game is None:
            self.tensor.fill(0)
        else:
            self.tensor[:] = observe(state.play.game, player).vector

    def string_from(self, state, player):
        return state.play.seen[player]


pyspiel.register_game(_TYPE, CasinoGame)


# --- the command ---------------------------------------------------------------------------------------------------


def solve(name, algorithm, iterations, report):
    """Run a tabular algorithm and report (iteration, exploitability, seconds)."""
    from open_spiel.python import policy
    from open_spiel.python.algorithms import cfr, exploitability

    game = pyspiel.load_game(name)
    began = time.perf_counter()
    report(0, exploitability.exploitability(game, policy.UniformRandomPolicy(game)), time.perf_counter() - began)
    solver = {"cfr": cfr.CFRSolver, "cfr+": cfr.CFRPlusSolver}[algorithm](game)
    for iteration in range(1, iterations + 1):
        solver.evaluate_and_update_policy()
        if iteration == iterations or iteration & (iteration - 1) == 0:
            value = exploitability.exploitability(game, solver.average_policy())
            report(iteration, value, time.perf_counter() - began)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--variant", default="mini", help="a small preset: mini or mini-7 (mini)")
    parser.add_argument("--algorithm", choices=("cfr", "cfr+"), default="cfr+")
    parser.add_argument("--iterations", type=int, default=8)
    args = parser.parse_args()
    try:
        make_rules(args.variant, 2)
    except ValueError as error:
        parser.error(str(error))
    print(f"{'iteration':>9} {'exploitability':>15} {'seconds':>8}")
    solve(
        f"python_casino(variant={args.variant},players=2)",
        args.algorithm,
        args.iterations,
        lambda *row: print(f"{row[0]:>9} {row[1]:>15.5f} {row[2]:>8.1f}", flush=True),
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
