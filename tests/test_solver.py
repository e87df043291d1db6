"""The solver: exact values, proven bounds under limits, claims that hold, and any agent plays endings with it."""

import random
from typing import Any

import numpy as np
import pytest

from casino_env.agents.base import probabilities_of
from casino_env.agents.registry import AgentError, make_agent
from casino_env.agents.solved import Solved
from casino_env.agents.solver import Solver, solve
from casino_env.agents.solver.stakes import position_key, prospects, reachable, safe_cards
from casino_env.cards import card_name
from casino_env.compiler.types import allocate
from casino_env.engine.position_keys import Names, find_equals
from casino_env.engine.state import IDLE
from casino_env.evaluate.regret import regret
from casino_env.game import Game, unchecked_game
from casino_env.observed import observe, sample_determinizations
from casino_env.rules import Rules, make_rules
from tests.endings import ending, endings
from tests.players import seated
from tests.random_play import label
from tests.solving import CASES, compare, minimax

RULES = [make_rules(name, players, **changes) for name, players, _, changes in CASES]
SOUTH_AFRICAN = make_rules("south-african", 2)


def an_ending(cards: int = 5, seed: int = 1, rules: Rules = SOUTH_AFRICAN) -> Game:
    return ending(rules, cards, random.Random(seed), greedy=True)


def turn_starts(rules: Rules, cards: int, deals: int, again: int) -> Any:
    """Yield (game, positions in which its turns begin) for random endings, each played several times."""
    rng = random.Random(1)
    first = [ending(rules, cards, rng, greedy=False) for _ in range(deals)]
    for game in [game.clone() for game in first for _ in range(again)]:
        starts = []
        while not game.over:
            if game.record["mode"] == IDLE and not game.record["acted"]:
                starts.append(game.clone())
            game.apply(rng.choice(game.legal()))
        yield game, starts


# --- values ---


@pytest.mark.parametrize("rules", RULES, ids=label)
def test_against_minimax(rules: Rules) -> None:
    assert compare(rules, 2 if rules.players == 2 else 1, 5, seed=5)[1] == []


def test_best_play_of_both_sides_reaches_the_value() -> None:
    solver = Solver(table_mb=8)
    for seed in range(5):
        game = an_ending(5, seed)
        first = game.seat
        value = solver.solve(game).value
        while not game.over:
            best = solver.solve(game).best
            game.apply(best[seed % len(best)])
        points = game.record["deal_points"]
        assert points[first] - points[1 - first] == value


def test_values_agree_with_the_value() -> None:
    game = an_ending(5)
    found = solve(game, want="values")
    assert found.values is not None
    assert found.complete and found.exact
    assert max(found.values.values()) == found.value
    assert sorted(found.values) == game.legal()
    assert found.best == solve(game).best
    assert solve(game, want="value").best[0] in found.best


def test_a_match_is_solved_deal_by_deal() -> None:
    game = an_ending(4)
    match = game.clone()
    match.record["match"] = 1
    assert solve(match).value == solve(game).value


def test_the_game_is_left_alone() -> None:
    game = an_ending(4)
    before = game.clone()
    solve(game)
    assert game == before


# --- limits ---


@pytest.mark.parametrize("nodes", [0, 1, 100, 3000, 20000])
def test_bounds_are_proven(nodes: int) -> None:
    for seed in range(4):
        game = an_ending(5, seed)
        exact = solve(game, want="values")
        assert exact.values is not None
        found = solve(game, nodes=nodes)
        assert found.nodes <= nodes
        assert found.low <= exact.value <= found.high
        assert found.complete or found.values is None
        if found.exact or found.low > min(exact.values.values()):
            assert all(exact.values[move] >= found.low for move in found.best)


def test_equal_under_a_limit_of_nodes() -> None:
    game = an_ending(7)
    first, second = solve(game, nodes=30_000), solve(game, nodes=30_000)
    assert (first.low, first.high, first.best, first.nodes) == (second.low, second.high, second.best, second.nodes)


def test_a_limit_of_time_is_kept() -> None:
    found = solve(an_ending(10), seconds=0.2)
    assert not found.complete
    assert found.seconds < 0.5
    assert found.low <= found.high


def test_a_solver_remembers() -> None:
    game, solver = an_ending(6), Solver(table_mb=8)
    first, again = solver.solve(game), solver.solve(game)
    assert again.nodes < first.nodes / 10
    assert (first.value, first.best) == (again.value, again.best)
    solver.solve(an_ending(2, rules=make_rules("swazi", 2)))
    assert solver.solve(game).nodes == first.nodes  # other rules in between clear its table


# --- claims about positions ---


@pytest.mark.parametrize("rules", RULES, ids=label)
def test_prospects_hold_in_play(rules: Rules) -> None:
    for game, starts in turn_starts(rules, min(rules.hand_size, 6), 6, 2):
        piles = [int(pile) for pile in game.record["piles"]]
        sides = [sum(piles[side : rules.players : 2]) for side in range(2)]
        points = game.record["deal_points"]
        for start in starts:
            g, r = start.record, start.rules_record[0]
            safe, low, high, _ = prospects(g, r)
            assert not safe_cards(g, r, 0) & ~sides[0]
            assert not safe_cards(g, r, 1) & ~sides[1]
            assert low <= points[0] - points[1] <= high
            assert low <= safe <= high or rules.sweeps


@pytest.mark.parametrize("rules", RULES, ids=label)
def test_keys_tell_positions_apart(rules: Rules) -> None:
    names = allocate(Names)
    find_equals(Game(rules).rules_record[0], names.same)
    keys: dict[int, Any] = {}
    for _, starts in turn_starts(rules, min(rules.hand_size, 4), 2, 30):
        for start in starts:
            word = prospects(start.record, start.rules_record[0])[3]
            key = position_key(start.record, start.rules_record[0], names, word)
            words = described(start, names.same, word)
            assert keys.setdefault(key, words) == words
    assert len(set(keys.values())) == len(keys)


def test_keys_of_close_positions_differ() -> None:
    """Positions that differ in one pile top and a small number: a weak hash takes them for equal."""
    game = an_ending(1)
    while not game.over:
        game.apply(game.legal()[0])
    g, r, names = game.record, game.rules_record[0], allocate(Names)
    g["hands"][0] = 1 << 35  # a nine takes no tens
    g["below"][:] = -1
    names.same[:] = np.arange(52)
    for card in range(8):
        g["layout"] = 1 << card
        keys = set()
        for g["pile_top"][1] in range(-1, 40):
            keys |= {position_key(g, r, names, word) for word in range(64)}
        assert len(keys) == (41 - 3) * 64  # all tens count as one unreachable top


def described(game: Game, same: np.ndarray[Any, Any], word: int) -> Any:
    """Describe what a key stands for."""
    r, rules = game.record, game.rules

    def names(cards: int) -> tuple[int, ...]:
        return tuple(sorted(int(same[card]) for card in range(52) if cards >> card & 1))

    def chain(top: int, cards: int) -> tuple[int, ...]:
        out = []
        while top >= 0 and cards >> top & 1:
            out.append(int(same[top]))
            top = int(r["below"][top])
        return tuple(out)

    ordered = rules.stacking in ("as_built", "build_on_top")
    loose = [card for card in range(52) if int(r["layout"]) >> card & 1]
    if rules.stacking == "as_built":
        loose.sort(key=lambda card: int(r["laid"][card]))
    builds = []
    for value in range(15):
        cards = int(r["build_cards"][value])
        owners = [seat for seat in range(rules.players) if int(r["owned"][seat]) >> value & 1]
        order = chain(int(r["build_top"][value]), cards) if ordered else names(cards)
        builds.append((order, owners[0], int(r["build_sets"][value]) == 1) if cards else ())
    piles = [
        chain(int(r["pile_top"][p]), reachable(game.record, game.rules_record[0], p)) for p in range(rules.players)
    ]
    heir = int(r["last_capture"]) if rules.leftovers == "last_capture" else -1
    return (
        tuple(names(int(hand)) for hand in r["hands"]),
        tuple(int(same[card]) for card in loose) if rules.stacking == "as_built" else names(int(r["layout"])),
        tuple(builds),
        tuple(zip(piles, (int(top) >= 0 for top in r["pile_top"]), strict=False)),
        tuple(int(bits) for bits in r["proven"]) if rules.partner_builds else (),
        heir % 2 if rules.shared_pile and heir >= 0 else heir,
        (int(r["to_move"]), int(r["round"]) < rules.rounds, word),
    )


def test_refusals() -> None:
    with pytest.raises(ValueError, match="the stock is not empty"):
        solve(Game("south-african", 2, seed=1))
    with pytest.raises(ValueError, match="has 3"):
        solve(Game("swazi", 3, seed=1))
    with pytest.raises(ValueError, match="with count_out"):
        claims = make_rules("cassino", 2, count_out=True)
        solve(Game.from_bytes(an_ending(2, rules=make_rules("cassino", 2)).to_bytes(), claims))
    over = an_ending(1)
    while not over.over:
        over.apply(over.legal()[0])
    with pytest.raises(ValueError, match="the game is over"):
        solve(over)
    hidden = an_ending(3)
    hidden.record["hidden_hand"][0] = 1
    with pytest.raises(ValueError, match="this is one seat's view"):
        solve(hidden)


def test_endings() -> None:
    game = an_ending(7)
    assert max(int(hand).bit_count() for hand in game.record["hands"]) == 7
    assert game.record["stock_top"] < 0
    assert an_ending(7) == game
    with pytest.raises(ValueError, match="1 to 10 cards"):
        an_ending(11)


def test_a_court_card_steals_a_bundle_as_well() -> None:
    """If the other side has nothing but court cards, a pile with a king on top is not safe."""
    hands, layout, top = [["2H", "3H"], ["KH", "QD"]], ["9C"], "KS"
    rest = [name for name in map(card_name, range(52)) if name not in [*hands[0], *hands[1], *layout, top]]
    position = {"variant": "stealing-bundles", "players": 2, "round": 6, "to_move": 0, "hands": hands, "layout": layout}
    game = Game.from_json(position | {"piles": [[*rest[:29], top], rest[29:]], "last_capture": 0})
    found = solve(game, want="values")
    assert found.low == found.high == minimax(game, {}) < 0
    game.apply("discard 2H")
    values = solve(game, want="values").values
    assert values is not None
    for action, value in values.items():
        after = game.clone()
        after.apply(action)
        assert value == -minimax(after, {})


def test_a_build_of_which_nobody_holds_the_card() -> None:
    """No play leads there, but a position made by hand may. A stolen card can be worth more than any card in hand."""
    hands = [["2H"], ["3C"]]
    used = {*hands[0], *hands[1], "4H", "6H", "TD"}
    rest = [name for name in map(card_name, range(40)) if name not in used]
    builds = [{"value": 10, "owner": 0, "sets": [["6H", "4H"]]}]
    position = {"variant": "khasino", "players": 2, "round": 2, "to_move": 0, "hands": hands, "layout": []}
    game = Game.from_json(position | {"builds": builds, "piles": [rest[:18], [*rest[18:], "TD"]], "last_capture": 0})
    found = solve(game)
    assert found.low == found.high == minimax(game, {})


# --- agents that play their endings by the solver --------------------------------------------------------------------


def test_endings_are_played_without_loss():
    rules = make_rules("khasino", 2)
    found = regret(rules, "solved:greedy,cards=3", 12, 3, seed=2, worst=0)
    assert found["decisions"] > 20 and found["lost a deal"]["mean"] == 0.0
    assert regret(rules, "greedy", 12, 3, seed=2, worst=0)["lost a deal"]["mean"] > 0.0


def test_an_unknown_order_of_a_pile_is_averaged_over():
    """Where the order does not matter nothing is lost."""
    assert regret(make_rules("swazi", 2), "solved:greedy,cards=3", 12, 3, seed=2, worst=0)["lost a deal"]["mean"] == 0.0
    seen = next(seen for seed in range(50) for seen in played("swazi", seed) if unknown_order(seen))
    found = Solved(cards=3).endings.ending(seen)
    worth = [solve(unchecked_game(world, seen.rules), want="values").values or {} for world in worlds_of(seen)]
    assert found and found.values
    assert found.values == {action: np.mean([values[action] for values in worth]) for action in seen.legal()}
    assert found.values[found.action] == found.value == max(found.values.values())


def played(variant, seed):
    """Yield what seats see in a deal between greedy players."""
    game, greedy = Game(variant, 2, seed=seed), seated("greedy")
    while not game.over:
        yield (seen := observe(game))
        game.apply(greedy.act(seen))


def unknown_order(seen):
    held = max(int(hand).bit_count() for hand in seen.view["hands"][0])
    return seen.view["shuffled"][0] and not seen.hidden and held <= 3 and len(seen.legal()) > 1


def worlds_of(seen):
    return sample_determinizations(seen, 4, np.random.default_rng(0))


def test_everything_else_is_played_by_the_agent():
    game = Game("swazi", 2, seed=4)
    ours, theirs = seated("solved:agent=counter"), seated("counter")
    for _ in range(12):
        assert ours.act(observe(game)) == theirs.act(observe(game))
        assert (probabilities_of(ours, observe(game)) == probabilities_of(theirs, observe(game))).all()
        game.apply(theirs.act(observe(game)))


def test_it_says_which_moves_are_best():
    game = next(game for game in endings(make_rules("khasino", 2), cards=3, count=4, seed=1) if len(game.legal()) > 1)
    liked = seated("solved:random").probabilities(observe(game))
    assert np.flatnonzero(liked).tolist() == sorted(solve(game).best)


def test_policies_and_wrong_names():
    assert seated("solved:policy:khasino-2").act(observe(Game("khasino", 2, seed=1))) >= 0
    with pytest.raises(AgentError, match="solved: agent = unknown agent 'couner'"):
        make_agent("solved:couner")
