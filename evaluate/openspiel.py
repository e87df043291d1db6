"""The games as an OpenSpiel game, so that its algorithms run on them; on the `mini` presets also the exact ones.

Importing this module registers the game `python_casino`; `pyspiel.load_game("python_casino(variant=mini,players=2)")`.
Chance nodes deal all cards at the beginning; the information state of a player holds what this player has seen.
"""

from __future__ import annotations

import copy
import gzip
import itertools
import json
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyspiel

from casino_env import Game, make_rules, observe
from casino_env.actions import ACTIONS, NO, action_text
from casino_env.agents.files import write_file
from casino_env.cards import card_name, cards_of, deck_cards, parse_card
from casino_env.engine.state import REQUEST, SORTING
from casino_env.knowledge.layout import Layout, make_layout
from casino_env.position import card_names
from casino_env.rules import RULES_VERSION, Rules

_AT_ONCE = 1000  # deal a hand in one chance event if it has at most so many outcomes, else card by card

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

    def __init__(self, params: dict[str, Any] | None = None) -> None:
        params = params or {}
        rules = make_rules(str(params.get("variant", "mini")), int(params.get("players", 2)))
        self.rules = replace(rules, recut=False)  # with recut, layouts would not be equally likely
        self.layout = make_layout(self.rules)
        self.deck = deck_cards(self.rules.deck)
        most = 26.0 if self.rules.spade_cards else 12.0  # 12: three sides tie for both majorities
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

    def new_initial_state(self) -> CasinoState:
        return CasinoState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: dict[str, Any] | None = None) -> CasinoObserver:
        return CasinoObserver(self.layout)


_CARD = re.compile("[A2-9TJQK][CDHS]")
_DEALT = re.compile(f"(?<=[/+])({_CARD.pattern})+")  # of what a seat has seen: the cards that came to its hand


def _in_order(cards: re.Match[str]) -> str:
    return "".join(sorted(_CARD.findall(cards[0]), key=parse_card))


def _held(game: Game) -> list[list[int]]:
    return [cards_of(int(hand)) for hand in game.record["hands"]]


class Play:
    """A deal as a tree: chance deals the table, the hands and the stock; then the seats decide.

    It is cheap to copy, because OpenSpiel copies states all the time.
    """

    def __init__(self, rules: Rules, deck: Iterable[int]) -> None:
        self.rules = rules
        self.left = tuple(deck)  # cards not dealt yet
        self.places: list[tuple[Any, int]] = [("layout", rules.table_cards)] if rules.table_cards else []
        self.places += [(seat, rules.hand_size) for seat in range(rules.players)]
        self.dealt: dict[Any, list[int]] = {"layout": [], "stock": [], **{seat: [] for seat in range(rules.players)}}
        self.game: Any = None  # None until everything is dealt
        self.seen = [""] * rules.players  # what each seat has seen, in order

    def __deepcopy__(self, _memo: dict[int, Any]) -> Play:
        twin = object.__new__(Play)
        twin.rules, twin.left, twin.places = self.rules, self.left, self.places
        twin.dealt, twin.seen = dict(self.dealt), list(self.seen)
        twin.game = self.game and self.game.clone()
        return twin

    # --- chance ---

    def place(self) -> tuple[Any, int]:
        """Return where the next cards go, and how many of them one chance event deals."""
        if not self.places:
            return "stock", 1
        place, count = self.places[0]
        count -= len(self.dealt[place])
        return place, count if math.comb(len(self.left), count) <= _AT_ONCE else 1

    def hands(self) -> list[tuple[int, ...]]:
        return list(itertools.combinations(self.left, self.place()[1]))

    def deal(self, outcome: int) -> None:
        place, _ = self.place()
        cards = self.hands()[outcome]
        dealt = [*self.dealt[place], *cards]
        self.dealt[place] = dealt if place == "stock" else sorted(dealt)  # nobody sees in which order a hand was dealt
        self.left = tuple(card for card in self.left if card not in cards)
        if self.places and len(self.dealt[place]) == self.places[0][1]:
            self.places = self.places[1:]
        if len(self.left) == 1 and not self.places:  # the last card of the stock is certain
            self.dealt["stock"], self.left = [*self.dealt["stock"], *self.left], ()
        if not self.left:
            self._begin()

    def _begin(self) -> None:
        rules, dealt = self.rules, self.dealt
        position = {
            "variant": rules.name,
            "players": rules.players,
            "rules": rules.differences(),
            "to_move": 0,
            "hands": [card_names(dealt[seat]) for seat in range(rules.players)],
            "layout": card_names(dealt["layout"]),
            "stock": card_names(dealt["stock"]),
        }
        self.game = Game.from_json(position, skip_forced=False)
        self.seen = [
            f"{''.join(card_names(dealt['layout']))}/{''.join(card_names(dealt[s]))}" for s in range(rules.players)
        ]
        self._play_forced()

    def resampled(self, player: int, rng: np.random.Generator) -> Play:
        """Return a play that this player cannot tell from this one; what the others have seen fits their new cards."""
        twin = copy.deepcopy(self)
        if self.game is None or self.game.over:
            return twin
        twin.game = observe(self.game, player).determinizations(1, rng)[0]
        twin.game.skip_forced = False
        other = dict[str, str]()  # a card of a hand -> the card in its place now
        for before, now in zip(_held(self.game), _held(twin.game), strict=True):
            other |= zip(card_names(before), card_names(now), strict=True)
        for seat in set(range(self.rules.players)) - {player}:
            seen = _CARD.sub(lambda found: other.get(found[0], found[0]), self.seen[seat])
            twin.seen[seat] = _DEALT.sub(_in_order, seen)
        return twin

    # --- decisions ---

    def over(self) -> bool:
        return self.game is not None and self.game.over

    def do(self, action: int) -> None:
        """Play an action and the forced ones after it, so that others cannot tell which were forced."""
        self._act(action)
        self._play_forced()

    def _play_forced(self) -> None:
        while len(self.game.legal()) == 1:
            self._act(self.game.legal()[0])

    def _act(self, action: int) -> None:
        """Play one action, and add to each seat's history what it sees of it."""
        game, actor, mode = self.game, self.game.seat, self.game.record["mode"]
        hands = [int(hand) for hand in game.record["hands"]]
        game.apply(action)
        game.log.clear()
        for seat in range(self.rules.players):
            if (mode == SORTING and seat != actor) or (mode == REQUEST and action == NO):
                continue  # hidden from the other seats: not even the number of actions shows
            drawn = int(game.record["hands"][seat]) & ~hands[seat]
            new = "+" + "".join(card_names(cards_of(drawn))) if drawn else ""
            self.seen[seat] += f".{actor}{action_text(action)}{new}{self._tops(seat)}"

    def _tops(self, seat: int) -> str:
        """Return the pile tops if piles are secret: a steal uncovers a new card, which all see."""
        if self.rules.stacking != "secret":
            return ""
        tops = observe(self.game, seat).view["pile_top"][0]
        return "^" + "".join(card_name(int(card)) for card in tops if card >= 0)

    def returns(self) -> list[float]:
        """Return the points of each seat less the mean of the other sides."""
        points, sides = self.game.scores(), self.rules.sides
        return [own - (sum(points[:sides]) - own) / (sides - 1) for own in points]


class CasinoState(pyspiel.State):
    def __init__(self, game: CasinoGame) -> None:
        super().__init__(game)
        self.play = Play(game.rules, game.deck)

    def current_player(self) -> int:
        if self.play.game is None:
            return pyspiel.PlayerId.CHANCE
        return pyspiel.PlayerId.TERMINAL if self.play.game.over else self.play.game.seat

    def is_terminal(self) -> bool:
        return self.play.over()

    def chance_outcomes(self) -> list[tuple[int, float]]:
        outcomes = len(self.play.hands())
        return [(outcome, 1.0 / outcomes) for outcome in range(outcomes)]

    def _legal_actions(self, _player: int) -> list[int]:
        return self.play.game.legal()

    def _apply_action(self, action: int) -> None:
        if self.play.game is None:
            self.play.deal(action)
        else:
            self.play.do(action)

    def _action_to_string(self, player: int, action: int) -> str:
        if player == pyspiel.PlayerId.CHANCE:
            return f"{self.play.place()[0]}: {' '.join(card_names(list(self.play.hands()[action])))}"
        return action_text(action)

    def returns(self) -> list[float]:
        return self.play.returns() if self.is_terminal() else [0.0] * self.num_players()

    def resample_from_infostate(self, player: int, rng: Callable[[], float]) -> CasinoState:
        """Sample a state that this player cannot tell from this one, uniformly; rng draws from 0 to 1."""
        state = self.clone()
        state.play = self.play.resampled(player, np.random.default_rng(int(rng() * 2**53)))
        return state

    def information_state_string(self, player: int | None = None) -> str:
        return self.play.seen[self.current_player() if player is None else player]

    def __str__(self) -> str:
        if self.play.game is None:
            return f"dealing, {len(self.play.left)} cards left"
        return str(self.play.game)


class CasinoObserver:
    """The environment's own observation vector, and the information state as a string."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.tensor = np.zeros(layout.size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: CasinoState, player: int) -> None:
        if state.play.game is None:
            self.tensor.fill(0)
        else:
            self.tensor[:] = observe(state.play.game, player).vector

    def string_from(self, state: CasinoState, player: int) -> str:
        return state.play.seen[player]


pyspiel.register_game(_TYPE, CasinoGame)


# --- exact solutions -------------------------------------------------------------------------------------------------


def tree_of(game: CasinoGame, keep: Path | None = None) -> tuple[Any, int, int]:
    """Return a two-player game as an OpenSpiel EFG tree, and its numbers of histories and information sets. Compiled
    algorithms are hundreds of times faster on it than on Python states. keep: a file that caches the tree for these
    rules, as it takes a minute to make."""
    head = f"{RULES_VERSION} {game.rules}"
    if keep and keep.is_file():
        kept = json.loads(gzip.decompress(keep.read_bytes()))
        if kept["rules"] == head:
            return pyspiel.load_efg_game(kept["tree"]), kept["histories"], kept["sets"]
    text, histories, sets = _written_out(game)
    if keep:
        kept = {"rules": head, "tree": text, "histories": histories, "sets": sets}
        write_file(keep, gzip.compress(json.dumps(kept).encode()))
    return pyspiel.load_efg_game(text), histories, sets


def _written_out(game: CasinoGame) -> tuple[str, int, int]:
    """Return the tree in Gambit's format, and the two counts; information sets keep their names."""
    known: tuple[dict[str, int], dict[str, int]] = ({}, {})
    lines, ends = ['EFG 2 R "casino" { "0" "1" } ""'], 0
    stack = [Play(game.rules, game.deck)]
    while stack:
        play = stack.pop()
        if play.over():
            ends += 1
            first, second = play.returns()
            lines.append(f't "" {ends} "" {{ {first:g} {second:g} }}')
        elif play.game is None:
            outcomes = len(play.hands())
            chances = " ".join(f'"{outcome}" {1 / outcomes:.17g}' for outcome in range(outcomes))
            lines.append(f'c "" 1 "" {{ {chances} }} 0')
            stack += [child(play, Play.deal, outcome) for outcome in reversed(range(outcomes))]
        else:
            player, legal = play.game.seat, play.game.legal()
            name = play.seen[player]
            number = known[player].setdefault(name, len(known[player]) + 1)
            choices = " ".join(f'"{action_text(action)}"' for action in legal)
            lines.append(f'p "" {player + 1} {number} "{name}" {{ {choices} }} 0')
            stack += [child(play, Play.do, action) for action in reversed(legal)]
    return "\n".join(lines), len(lines) - 1, sum(map(len, known))


def child(play: Play, how: Callable[[Play, int], None], choice: int) -> Play:
    child = copy.deepcopy(play)
    how(child, choice)
    return child


def load(variant: str, players: int = 2) -> CasinoGame:
    return pyspiel.load_game(f"python_casino(variant={variant},players={players})")
