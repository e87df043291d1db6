"""Searches written as plainly as possible, on Game alone: slow twins of the kernels, for tests of small games.

A search is the same for the same seed, so twins draw the same random numbers in the same order: a stream of words for
each simulation. Determinizations are drawn by the package, which has tests of its own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from casino_env.actions import END
from casino_env.agents.policy.mlp import Thought, think
from casino_env.agents.policy.policy_agent import Policy
from casino_env.agents.registry import make_agent
from casino_env.compiler.types import allocate
from casino_env.engine.reading import SPADES
from casino_env.engine.scoring import card_points
from casino_env.engine.state import GAME
from casino_env.game import Game, unchecked_game
from casino_env.knowledge.determinizations import complete_many
from casino_env.observed import Observed, observe
from casino_env.rules import Rules

_WORD = (1 << 64) - 1
NEVER = 1 << 40  # decisions: more than any deal has

# --- random numbers --------------------------------------------------------------------------------------------------


def mixed(word: int) -> int:
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 & _WORD
    word = (word ^ word >> 27) * 0x94D049BB133111EB & _WORD
    return word ^ word >> 31


def nth_word(seed: int, n: int) -> int:
    return mixed(seed + n * 0x9E3779B97F4A7C15 & _WORD)


class Stream:
    """A stream of splitmix64."""

    def __init__(self, state: int) -> None:
        self.state = state

    def word(self) -> int:
        self.state = self.state + 0x9E3779B97F4A7C15 & _WORD
        return mixed(self.state)

    def below(self, bound: int) -> int:
        return (self.word() >> 32) * bound >> 32

    def uniform(self) -> float:
        return (self.word() >> 11) / 2**53


def determinization(seen: Observed, seed: int, n: int = 1) -> Game:
    """Return the determinization that is drawn with the n-th word of a stream."""
    games = np.zeros(n + 1, GAME)
    assert complete_many(seen.view, seen.rules.record, seen.seat, np.uint64(seed), games) == n + 1
    return unchecked_game(games[n], seen.rules)


def points_ahead(game: Game) -> list[float]:
    """Return the points of a finished deal, by side: more than the mean of the others."""
    points = [float(each) for each in game.record["deal_points"][: game.rules.sides]]
    return [mine - (sum(points) - mine) / (len(points) - 1) for mine in points]


# --- who plays on ----------------------------------------------------------------------------------------------------


class ByBot:
    """A bot: all actions that it likes best are equal."""

    def __init__(self, name: str) -> None:
        self.agent: Any = make_agent(name)

    def priors(self, game: Game) -> dict[int, float]:
        liked = self.agent.probabilities(observe(game)) > 0
        return {action: float(liked[action]) for action in game.legal()}

    def play(self, game: Game, stream: Stream) -> None:
        liked = [action for action, prior in self.priors(game).items() if prior]
        game.apply(liked[stream.below(len(liked)) if len(liked) > 1 else 0])


class ByActions:
    """A network over actions."""

    def __init__(self, weights: Any) -> None:
        self.policy = Policy(weights, temperature=1.0)

    def priors(self, game: Game) -> dict[int, float]:
        chances = self.policy.probabilities(observe(game))
        return {action: float(chances[action]) for action in game.legal()}

    def play(self, game: Game, stream: Stream) -> None:
        priors = self.priors(game)
        game.apply([*priors][_index(list(priors.values()), stream.uniform())])

    def value(self, game: Game) -> list[float]:
        return _by_side(game, self.policy.values_by_side(observe(game)))


class ByTurns:
    """A network over afterstates, which plays complete turns."""

    def __init__(self, weights: Any, temperature: float = 0.2) -> None:
        self.policy = Policy(weights, temperature=temperature)
        self.scale = weights.value_scale

    def turns(self, seen: Observed) -> tuple[list[list[int]], list[float], list[float]]:
        """Return the actions of each turn, its worth in points, and the chance that it is played."""
        self.policy.probabilities(seen)
        judged = self.policy._fit(seen.rules).levels.judged
        walk = judged.afterstates.walk[0]
        many = int(walk["found"])
        paths = [walk["paths"][k, : walk["lengths"][k]].tolist() for k in range(many)]
        return paths, (judged.worth[:many] * self.scale).tolist(), judged.chances[:many].tolist()

    def afterstates(self, rules: Rules) -> Any:
        """Return the positions after the turns that were listed last."""
        afterstates = self.policy._fit(rules).levels.judged.afterstates
        return afterstates.records[: int(afterstates.walk["found"][0])]

    def play(self, game: Game, stream: Stream) -> None:
        paths, _, chances = self.turns(observe(game))
        play_turn(game, paths[_index(chances, stream.uniform())])

    def value(self, game: Game) -> list[float]:
        _, worth, _ = self.turns(observe(game))
        judged = self.policy._fit(game.rules).levels.judged
        best = max(range(len(worth)), key=worth.__getitem__)
        return _by_side(game, judged.values[best] * self.scale)

    def value_undealt(self, game: Game) -> list[float]:
        """Return the value of what the last turn before a deal of hands has left: the new hands are in the stock."""
        rules, record = game.rules, game.record.copy()
        for seat in range(rules.players):
            for card in range(52):
                if record["hands"][seat] >> card & 1:
                    record["below"][card], record["stock_top"] = record["stock_top"], card
            record["hands"][seat] = 0
        record["round"] -= 1
        seat = (game.seat - 1) % rules.players
        seen, weights = observe(unchecked_game(record, rules), seat), self.policy.weights
        on = np.flatnonzero(seen.encode(weights.layout)).astype(np.int16)
        thought = allocate(Thought, features=weights.layout.most, **weights.shape.sizes)
        think(weights.theta, weights.shape.record, on, len(on), thought.actions, 0, thought)
        values = thought.values * self.scale
        return [float(values[0]) * (1 if rules.side(seat) == side else -1) for side in range(2)]


def play_turn(game: Game, path: list[int]) -> None:
    """Play the actions of a turn, until another seat decides or hidden cards make one illegal; then forced actions."""
    seat, game.skip_forced = game.seat, False
    for action in [*path, END]:
        if game.over or game.seat != seat or action not in game.legal():
            break
        game.apply(action)
    while len(game.legal()) == 1:
        game.apply(game.legal()[0])
    game.skip_forced = True


def _index(chances: list[float], point: float) -> int:
    for k, chance in enumerate(chances[:-1]):
        point -= chance
        if point < 0.0:
            return k
    return len(chances) - 1


def _by_side(game: Game, values: Any) -> list[float]:
    """Turn the values of a network, the seat's own side first, into values by side."""
    sides, mine = game.rules.sides, game.rules.side(game.seat)
    if sides == 2:
        return [float(values[0]) if side == mine else -float(values[0]) for side in range(2)]
    return [float(values[(side - mine) % sides]) for side in range(sides)]


def play_out(game: Game, player: Any, stream: Stream, cut: int = NEVER, until: int = NEVER) -> list[float]:
    """Play on to the end of the deal, to the turn `until`, or for so many decisions; then the player judges."""
    for _ in range(cut):
        if game.over or game.record["turns"] >= until:
            break
        player.play(game, stream)
    return _result(game, player, until)


def play_out_turns(game: Game, player: ByTurns, stream: Stream, begun: int, cut: int) -> list[float]:
    """The same, but cut after so many turns from the turn with the number `begun`."""
    while not game.over and game.record["turns"] - begun < cut:
        player.play(game, stream)
    return _result(game, player, NEVER)


def _result(game: Game, judge: Any, until: int) -> list[float]:
    if game.over:
        return points_ahead(game)
    if isinstance(judge, ByBot):
        return count_taken(game)
    if isinstance(judge, ByTurns) and game.record["turns"] == until:
        return judge.value_undealt(game)
    return judge.value(game)


def last_turn(game: Game) -> int:
    """Return the turn at which the hands are empty; if at most one card is left, those of the next hands."""
    cards = sum(int(hand).bit_count() for hand in game.record["hands"])
    return int(game.record["turns"]) + cards + (game.rules.players * game.rules.hand_size if cards <= 1 else 0)


def count_taken(game: Game) -> list[float]:
    """Return what each side has taken, in points more than the others, with its chances of most cards and spades."""
    row, rules = game.rules_record[0], game.rules
    piles = [0] * rules.sides
    for seat in range(rules.players):
        piles[rules.side(seat)] |= int(game.record["piles"][seat])

    def chances(among: int, swing: float) -> list[float]:
        counts = [(pile & among).bit_count() for pile in piles]
        left = (among & int(row["deck"])).bit_count() - sum(counts)
        leads = [math.exp((count - max(counts)) / swing / math.sqrt(left + 0.01)) for count in counts]
        return [lead / sum(leads) for lead in leads]

    most, spades = chances(int(row["deck"]), 1.0), chances(SPADES, 0.65)
    points = []
    for side, pile in enumerate(piles):
        swept = int(game.record["sweeps"][side]) if rules.sweeps else 0
        counted = rules.cards_points * most[side] + rules.spades_points * spades[side]
        points.append(int(card_points(row, pile)) + swept + counted)
    return [mine - (sum(points) - mine) / (len(points) - 1) for mine in points]


# --- ISMCTS ----------------------------------------------------------------------------------------------------------


@dataclass
class Node:
    prior: float = 0.0
    visits: int = 0
    available: int = 1
    value: float = 0.0
    children: dict[int, Node] = field(default_factory=dict)

    def size(self) -> int:
        """Return the number of nodes from here."""
        return 1 + sum(child.size() for child in self.children.values())

    def bound(self, explore: float) -> float:
        visits = max(1, self.visits)
        rarely = explore * math.sqrt(math.log(self.available + 1.0) / visits)
        return self.value / visits + rarely + 0.5 * self.prior / visits


def ismcts(
    seen: Observed, seed: int, sims: int, player: Any, explore: float, cut: int = NEVER, to_horizon: bool = False
) -> Node:
    """Search; return the root of the tree. Eight simulations at once descend before any of them is played out."""
    root, done = Node(), 0
    while done < sims:
        batch = []
        for number in range(done, min(done + 8, sims)):
            stream = Stream((seed + number) * 0xD1342543DE82EF95 & _WORD)
            game = determinization(seen, stream.state)
            until = last_turn(game) if to_horizon else NEVER
            path = list(_descend(root, game, stream, player, explore, until))
            guesses = []
            for node, _ in path:
                guesses.append(node.value / max(1, node.visits))
                node.visits += 1
                node.value += guesses[-1]
            batch.append((game, stream, path, guesses, until))
        for game, stream, path, guesses, until in batch:
            result = play_out(game, player, stream, cut, until)
            for (node, side), guess in zip(path, guesses, strict=True):
                node.value += result[side] / 11.0 - guess
        done += len(batch)
    return root


def _draw_best(actions: list[int], priors: dict[int, float], stream: Stream) -> int:
    """Draw one of the actions with the highest prior: the n-th of equals takes the place with chance 1 / n."""
    best, found = list[int](), -1
    for action in actions:
        if best and priors[action] < priors[best[0]]:
            continue
        best = [*best, action] if best and priors[action] == priors[best[0]] else [action]
        found = action if stream.below(len(best)) == 0 else found
    return found


def _descend(
    node: Node, game: Game, stream: Stream, player: Any, explore: float, until: int
) -> Iterator[tuple[Node, int]]:
    """Play down to a new node; yield the nodes, each with the side that chose it."""
    while not game.over and game.record["turns"] < until:
        legal, side = game.legal(), game.rules.side(game.seat)
        new = [action for action in legal if action not in node.children]
        if new:
            priors = player.priors(game)
            action = _draw_best(new, priors, stream)
            node.children[action] = Node(priors[action])
        else:
            for one in legal:
                node.children[one].available += 1
            action = max(legal, key=lambda one: node.children[one].bound(explore))
        node = node.children[action]
        game.apply(action)
        yield node, side
        if new:
            return


# --- importance weights ----------------------------------------------------------------------------------------------


def _names(game: Game, cards: int) -> list[int]:
    """Return the cards, all equal ones by the same name: of a rank, those that are no spades and worth the same."""
    names = []
    for card in range(52):
        if cards >> card & 1:
            first = card - card % 4 + 1
            worth = {int(card_points(game.rules_record[0], 1 << first << k)) for k in range(3)}
            names.append(first if card % 4 and len(worth) == 1 else card)
    return sorted(names)


def _table(game: Game, record: Any) -> list[list[int]]:
    """Return what lies on the table."""
    places = [record["layout"], *record["piles"], *record["build_cards"]]
    return [_names(game, int(cards)) for cards in places]


@dataclass
class PastTurn:
    """A turn of another seat: the game before and after it."""

    before: Game
    after: Game

    @property
    def laid(self) -> int:
        other = self.before.seat
        return int(self.before.record["hands"][other] & ~self.after.record["hands"][other])


def likelihood(past: list[PastTurn], world: Game, judge: ByTurns) -> float:
    """Return how likely the turns of others are in a determinization of what a seat knows after them."""
    found = 1.0
    for k, turn in enumerate(past):
        other = turn.before.seat
        record, hand = turn.before.record.copy(), int(world.record["hands"][other])
        for later in past[k:]:
            hand |= later.laid if later.before.seat == other else 0
        if hand.bit_count() == int(record["hands"][other]).bit_count():  # else it has played cards unseen
            record["hands"][other] = hand
            found *= _chance(turn, unchecked_game(record, world.rules), judge)
    return found


def _chance(turn: PastTurn, game: Game, judge: ByTurns) -> float:
    """Return the chance that a turn is played in this game."""
    _, _, chances = judge.turns(observe(game))
    came, found = _table(game, turn.after.record), 0.0
    for afterstate, chance in zip(judge.afterstates(game.rules), chances, strict=True):
        found += chance * (_table(game, afterstate) == came)
    return found + 0.003


def tempered(likely: list[float]) -> list[float]:
    """Return weights, of sum 1: likelihoods (given as logarithms) to the highest power, at most 1, that leaves an
    effective sample size of 16 or half of all."""

    def weights(power: float) -> Any:
        found = np.array([math.exp(power * (one - max(likely))) for one in likely])
        return found / found.sum()

    fewest, low, high = min(16, len(likely) / 2), 0.0, 1.0
    if 1 / (weights(1.0) ** 2).sum() >= fewest:
        return weights(1.0).tolist()
    while high - low > 1e-6:
        middle = (low + high) / 2
        enough = 1 / (weights(middle) ** 2).sum() >= fewest
        low, high = (middle, high) if enough else (low, middle)
    return weights(low).tolist()


# --- races of turns --------------------------------------------------------------------------------------------------

# By heat: rounds played, most games, the doubt in points.
HEATS = [(1, 32, 0.4), (2, 32, 0.3), (4, 256, 0.15), (8, NEVER, 0.1)]
TO_HORIZON = [(NEVER, 0, 0.2), (NEVER, 256, 0.2), (NEVER, NEVER, 0.1)]  # the same where games end at the horizon


class Race:
    """A race between turns of such worth. single: how many turns are played in its only heat; None: it has heats.
    horizon: games end there."""

    def __init__(
        self, worth: list[float], trust: float, players: int, single: int | None = None, horizon: bool = False
    ) -> None:
        self.worth, self.trust, self.players, self.single = list(worth), trust, players, single
        self.heats = TO_HORIZON if horizon else HEATS
        self.running, self.leader = list(range(len(worth))), max(range(len(worth)), key=lambda k: (worth[k], -k))
        self.heat, self.total, self.doubt, self.most, self.cut = 0, 0, 0.0, 0, 0
        self._begin()

    def _begin(self) -> None:
        self.expected, self.games = list(self.worth), 0
        self.seen: list[list[float]] = [[] for _ in self.worth]

    def goes_on(self) -> bool:
        while len(self.running) > 1 and self.games >= self.most:
            if self.games:
                largest = max(self.behind(k)[1] for k in self.running)
                self.trust = math.hypot(self.doubt, largest)
                self._begin()
            self.heat += 1
            rounds, self.most, self.doubt = self.heats[self.heat]
            self.cut = NEVER if rounds == NEVER else rounds * self.players - 1
            if self.single is not None:
                self.cut, self.most, self.doubt = self.single, NEVER, 0.0
        return len(self.running) > 1

    def behind(self, k: int) -> tuple[float, float]:
        """Return how far turn k is behind the leader, and the standard error: the mean of what was expected and of what
        the games say, each by its precision."""
        gaps = np.array(self.seen[self.leader]) - np.array(self.seen[k])
        spread = (self.games * gaps.var() + 8 * 1.5**2) / (self.games + 8)
        sure, guessed = self.games / spread, 1 / self.trust**2
        expected = self.expected[self.leader] - self.expected[k]
        return expected + gaps.mean() * sure / (sure + guessed), 1 / math.sqrt(sure + guessed)

    def add(self, results: list[list[float]]) -> None:
        """Add games: the results of the turns that run."""
        for row in results:
            for k, result in zip(self.running, row, strict=True):
                self.seen[k].append(result - self.expected[k])
        self.games += len(results)
        self.total += len(results)
        self.leader = min(self.running, key=lambda k: self.behind(k)[0])
        mine = self.expected[self.leader] + np.mean(self.seen[self.leader]) * self.games / (self.games + 8)
        left = []
        for k in self.running:
            behind, error = self.behind(k)
            self.worth[k] = float(mine - behind)
            if self.games < 8 or behind <= 2 * math.hypot(error, self.doubt):
                left.append(k)
        self.running = left


def ranked(worth: list[float], most: int) -> list[int]:
    """Return the turns of most worth, the best first."""
    return sorted(range(len(worth)), key=lambda k: -worth[k])[:most]


@dataclass
class Turns:
    """The result of a race: the turns in it and their actions."""

    race: Race
    turns: list[int]
    paths: list[list[int]]


def one_game(
    seen: Observed, seed: int, number: int, paths: list[list[int]], player: Any, cut: int,
    worlds: Sequence[Game] = (), parts: Any = (), to_horizon: Any = None,
) -> list[float]:  # fmt: skip
    """Return the results of the turns in one determinization: the same cards and random numbers for all.
    to_horizon: who plays to the horizon, where the player judges."""
    results = []
    for path in paths:
        stream = Stream(nth_word(seed, number))
        if worlds:
            world = worlds[int(np.searchsorted(parts, stream.uniform()))].clone()
        else:
            world = determinization(seen, stream.state)
        begun, until = int(world.record["turns"]) + 1, last_turn(world)
        play_turn(world, path)
        if to_horizon:
            while not world.over and world.record["turns"] < until:
                to_horizon.play(world, stream)
            result = _result(world, player, until)
        elif isinstance(player, ByTurns):
            result = play_out_turns(world, player, stream, begun, cut)
        else:
            result = play_out(world, player, stream, cut)
        results.append(result[seen.rules.side(seen.seat)])
    return results


def race_turns(
    seen: Observed, seed: int, sims: int, player: ByTurns, *, single: int | None = None, margin: float = 1000.0,
    share: float = 0.0, likelihood: Callable[[Game], float] | None = None, to_horizon: Any = None,
) -> Turns:  # fmt: skip
    """Race the turns of a seat. share: part of the budget for determinizations weighted by their likelihood.
    to_horizon: who plays to the horizon."""
    paths, worth, _ = player.turns(seen)
    turns = ranked(worth, 8)
    race = Race([worth[k] for k in turns], 0.5, seen.rules.players, single, to_horizon is not None)
    done, worlds = 0, list[Game]()
    if margin < 1000.0:
        race.heat = -1
        race.running = [k for k in race.running if race.worth[0] - race.worth[k] <= margin]
    parts = np.zeros(0)
    while likelihood and len(race.running) > 1 and done < share * sims:
        some = min(4, sims - done)
        worlds += [determinization(seen, seed, len(worlds) + k) for k in range(some)]
        done += some
    if worlds and likelihood:
        parts = np.cumsum(tempered([math.log(likelihood(world)) for world in worlds]))
    while (some := min(16, sims - done)) > 0 and race.goes_on():
        games = some // len(race.running) or int(race.total == 0)
        if not games:
            break
        tried = [paths[turns[k]] for k in race.running]
        race.add([
            one_game(seen, seed, number, tried, player, race.cut, worlds, parts, to_horizon)
            for number in range(race.total, race.total + games)
        ])  # fmt: skip
        done += games * len(tried)
    return Turns(race, turns, paths)


# --- the judge of turns ----------------------------------------------------------------------------------------------


class Measuring:
    """Turns that are measured against the best of them. kept: those that are measured whatever they lose."""

    def __init__(self, many: int, best: int, games: int, kept: Sequence[int] = ()) -> None:
        self.best, self.games, self.kept, self.done = best, games, kept, 0
        self.running, self.look = list(range(many)), min(32, games)
        self.seen: list[list[float]] = [[] for _ in range(many)]

    def games_at_once(self) -> int:
        return min(512 // len(self.running), self.look - self.done)

    def add(self, rows: list[list[float]]) -> None:
        for row in rows:
            for k, result in zip(self.running, row, strict=True):
                self.seen[k].append(result)
        self.done += len(rows)

    def loss(self, k: int) -> tuple[float, float]:
        """Return what turn k loses to the best, over the games in which both were played, and its standard error. As
        many as 8 games in which such differences have a spread of 1.5 points are thought to have been played before."""
        if k == self.best:
            return 0.0, 0.0
        count = min(len(self.seen[k]), len(self.seen[self.best]))
        gaps = np.array(self.seen[self.best][:count]) - np.array(self.seen[k][:count])
        loss = gaps.sum() / len(self.seen[k])
        variance = max(0.0, (gaps**2).sum() / len(self.seen[k]) - loss**2)
        count = len(self.seen[k])
        return float(loss), math.sqrt((count * variance + 8 * 1.5**2) / (count + 8) / count)

    def compare(self) -> None:
        """Another turn becomes the best if it is surely better."""
        sure = [loss + 3 * error for loss, error in map(self.loss, range(len(self.seen)))]
        if min(sure) < 0.0:
            self.best = sure.index(min(sure))

    def look_again(self, error: float, lost: float = 0.25) -> bool:
        if self.done < self.look:
            return False
        self.look = min(2 * self.look, self.games)
        self.compare()
        losses = {k: self.loss(k) for k in self.running}
        if max(each[1] for each in losses.values()) <= error:
            return True
        self.running = [
            k for k, (loss, doubt) in losses.items() if k in self.kept or k == self.best or loss - 3 * doubt <= lost
        ]
        return False


class Judged(NamedTuple):
    loss: float
    half: float  # of its interval
    chance: float  # that it is played, not yet divided by the sum of all
    games: int


def judge_turns(
    seen: Observed, seed: int, games: int, precision: float, player: Any, paths: list[list[int]], worth: list[float],
    asked: Sequence[int] = (), rounds: int = 4, spread: float = 0.5, hurry: bool = False,
) -> tuple[float, list[Judged], Race]:  # fmt: skip
    """Judge turns by play-outs; return the value of the best, what each loses, and the race. spread: doubt of the
    play-outs. hurry: the time is over, so that there is one round of games for the race and one to measure."""
    by_network, players = isinstance(player, ByTurns), seen.rules.players
    likely = [k for k in range(len(worth)) if k in asked or k in ranked(worth, 8 if by_network else 24)]
    race = Race([worth[k] for k in likely], 0.5 if by_network else 10.0, players, single=None if by_network else NEVER)
    while race.total < (1 if hurry else games / 2) and race.goes_on():
        some = range(race.total, race.total + max(1, 32 // len(race.running)))
        tried = [paths[likely[k]] for k in race.running]
        race.add([one_game(seen, seed, number, tried, player, race.cut) for number in some])
    m = Measuring(len(likely), race.leader, games, [likely.index(k) for k in asked])
    while m.done < (1 if hurry else games):
        some = range((1 << 32) + m.done, (1 << 32) + m.done + m.games_at_once())
        tried, cut = [paths[likely[k]] for k in m.running], rounds * players - 1 if by_network else NEVER
        m.add([one_game(seen, seed, number, tried, player, cut) for number in some])
        if m.look_again(precision / 1.96):
            break
    m.compare()
    best, found = likely[m.best], []
    for k in range(len(worth)):
        loss, half, many = worth[best] - worth[k], 1.96 * max(0.5, spread), 0
        if k in likely:
            loss, error = m.loss(likely.index(k))
            half, many = 1.96 * math.hypot(error, spread) if k != best else 0.0, len(m.seen[likely.index(k)])
        found.append(Judged(loss, half, math.exp(-max(loss, 0.0) / max(0.2, spread)), many))
    return float(np.mean(m.seen[m.best])), found, race


# --- luck ------------------------------------------------------------------------------------------------------------


def _stock(record: Any) -> list[int]:
    """Return the stock, the top first."""
    cards, card = [], int(record["stock_top"])
    while card >= 0:
        cards.append(card)
        card = int(record["below"][card])
    return cards


def _dealt_again(before: Any, after: Any, same: bool, stream: Stream) -> Any:
    """Return the game after a deal with the cards that came and another order of the stock, or with other cards."""
    record, cards = after.copy(), _stock(after if same else before)
    for last in range(len(cards) - 1, 0, -1):
        k = stream.below(last + 1)
        cards[last], cards[k] = cards[k], cards[last]
    if not same:
        stock = sum(1 << card for card in _stock(before))
        for seat in range(len(record["hands"])):
            dealt = (int(record["hands"][seat]) & stock).bit_count()
            record["hands"][seat] &= ~stock
            for _ in range(dealt):
                record["hands"][seat] |= 1 << cards.pop()
    record["stock_top"] = -1
    for card in cards:
        record["below"][card], record["stock_top"] = record["stock_top"], card
    return record


def luck(game: Game, decisions: list[int], seed: int, player: ByBot) -> list[float]:
    """Return by side the points that the cards of all later deals brought: what comes of 64 games with the cards that
    came, less what comes of 64 with others. game: after the first deal, without forced play."""
    found, deals, rules, left = [0.0] * game.rules.sides, 0, game.rules, list(decisions)
    while not game.over:
        before, legal = game.record.copy(), game.legal()
        game.apply(legal[0] if len(legal) == 1 else left.pop(0))
        if game.over or game.record["stock_top"] == before["stock_top"]:
            continue
        word = nth_word(seed, deals)
        stream, deals = Stream(nth_word(word, 128)), deals + 1
        until = int(game.record["turns"]) + sum(int(hand).bit_count() for hand in game.record["hands"])
        for number in range(128):
            world = unchecked_game(_dealt_again(before, game.record, number < 64, stream), rules)
            result = play_out(world, player, Stream(nth_word(word, number)), until=until)
            for side in range(rules.sides):
                share = result[side] * (rules.sides - 1) / rules.sides / 64
                found[side] += share if number < 64 else -share
    return found
