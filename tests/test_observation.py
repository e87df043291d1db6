"""The segments of the observation contain what their descriptions say."""

import numpy as np
import pytest

import casino_env
from casino_env import Game, make_rules, observe
from casino_env.actions import ACTIONS, action_text
from casino_env.cards import cards_of
from casino_env.engine.state import REQUEST, SORTING
from casino_env.knowledge.layout import BEST_CARDS, BEST_POINTS, make_layout
from tests.hidden import encoded
from tests.random_play import every_game, label, random_moments
from tests.situations import position


def segments(game: Game, seat: int, **options):
    layout = make_layout(game.rules, **options)
    return layout.split(observe(game, seat).encode(layout))


@pytest.mark.parametrize("universal", [False, True], ids=["own", "universal"])
@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_layouts_are_whole_and_bounds_hold(rules, universal):
    layout = make_layout(rules, universal=universal)
    offset = 0
    for segment in layout.segments:
        assert segment.offset == offset
        offset += segment.size
    assert offset == layout.size and 64 * layout.words - layout.size in range(64)
    for game in random_moments(rules, 15, seed=9):
        for seat in range(rules.players):
            vector = observe(game, seat).encode(layout)
            assert set(np.unique(vector)) <= {0, 1}
            assert vector.sum() <= layout.most
            for segment in layout.segments:
                part = vector[segment.offset : segment.offset + segment.size]
                assert part.sum() <= segment.most, segment.name


@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_cards_are_where_the_game_has_them(rules):
    n = rules.players
    for game in random_moments(rules, 15, seed=10):
        if game.record["mode"] == SORTING:
            continue
        for seat in range(n):
            place = segments(game, seat)["place"]
            mine = cards_of(int(game.record["hands"][seat]))
            assert np.flatnonzero(place[:, 0]).tolist() == mine
            loose = cards_of(int(game.record["layout"]))
            assert np.flatnonzero(place[:, 1] | place[:, 2]).tolist() == loose
            for i in range(n):
                other = (seat + i) % n
                assert np.flatnonzero(place[:, 3 + i]).tolist() == cards_of(int(game.record["piles"][other]))
                top = int(game.record["pile_top"][other])
                shown = [] if top < 0 or rules.stacking == "face_down" else [top]
                assert np.flatnonzero(place[:, 3 + n + i]).tolist() == shown
                if i:
                    known = set(np.flatnonzero(place[:, 2 + 2 * n + i]).tolist())
                    assert known <= set(cards_of(int(game.record["hands"][other])))


def test_the_last_hidden_hand_is_known_by_counting():
    game = Game("south-african", 2, seed=3)
    rng = np.random.default_rng(0)
    while game.record["round"] == 1:
        legal = game.legal()
        game.apply(legal[int(rng.integers(len(legal)))])
    place = segments(game, 0)["place"]
    assert np.flatnonzero(place[:, -1]).tolist() == cards_of(int(game.record["hands"][1]))


def test_pile_order_is_seen():
    data = position("south-african", ["2H", "3H"], piles=["9S 8S 7S 6S 5S 4S", "9H"], round=2)
    depth = segments(Game.from_json(data, skip_forced=False), 1)["depth"]
    seen = {card: int((depth[card][:6] * 2 ** np.arange(6)).sum()) for card in range(40)}
    pile = [12 + 4 * i for i in range(6)]  # 4S 5S ... 9S, the top first
    assert [seen[card] for card in pile] == [0, 1, 2, 3, 4, 5]
    assert not depth[:, 6].any()


@pytest.mark.parametrize("variant", ["swazi", "african"])
def test_secret_order_is_marked_for_the_others_only(variant):
    rules = make_rules(variant, 2)
    marked = 0
    for game in random_moments(rules, 60, seed=11):
        marks = [segments(game, seat)["depth"][:, 6] for seat in range(2)]
        for seat in range(2):
            own = cards_of(int(game.record["piles"][seat]))
            assert not marks[seat][own].any()
        marked += bool(marks[0].any())
    assert marked > 10


def test_memory_can_be_switched_off():
    for game in random_moments(make_rules("cassino", 3), 30, seed=12):
        taken = int(game.record["piles"][1])
        with_memory, without = observe(game, 0), observe(game, 0, memory="none")
        assert int(with_memory.view["piles"][0][1]) == taken
        assert int(without.view["piles"][0][1]) == 0
        assert int(without.view["hidden_pile"][0][1]) == taken.bit_count()


def test_the_universal_layout_is_one_for_all():
    shapes = {
        tuple((s.name, s.offset, s.shape) for s in make_layout(rules, universal=True).segments)
        for rules in every_game()
    }
    # the thermometer code of captured cards has the same steps in every game
    assert len(shapes) == 1
    told = {
        observe(next(random_moments(r, 1)), 0).encode(make_layout(r, universal=True))[-672:].tobytes()
        for r in every_game()
    }
    assert len(told) == len(every_game())


def test_a_hand_too_large_for_the_universal_layout_is_refused():
    with pytest.raises(ValueError, match="layout='own'"):
        casino_env.raw_env("swazi", 2, rounds=1, layout="universal")


def test_truth_holds_the_hidden_cards_and_the_view_does_not():
    game = Game("south-african", 2, seed=5)
    told, hand = encoded(game.records, game.rules), cards_of(int(game.record["hands"][1]))
    assert np.flatnonzero(make_layout(game.rules).split(told)["place"][:, -1]).tolist() == hand
    assert not segments(game, 0)["place"][:, -1].any()


def test_bits_are_the_same_features():
    vec = casino_env.make_vec("mini", 2, 3, seed=2, obs="bits")
    words, *_ = vec.reset()
    assert (vec.layout.unpack(words) == vec.dense()).all() and vec.dense().any()


def test_history_holds_public_events_only():
    """Refused requests and the sorting of a pile leave no trace; all other events stand there, relative to the seat."""
    vec = casino_env.make_vec("khasino", 4, 200, seed=1, history=400, partner_request="optional", skip_forced=False)
    expected: list[list[tuple[int, int]]] = [[] for _ in range(200)]
    asked = 0
    for _ in range(120):
        actions, modes, actors = vec.sample(), vec.records["mode"].copy(), vec.actor.copy()
        vec.step(actions)
        for i in range(200):
            text = action_text(int(actions[i]))
            asked += modes[i] == REQUEST
            if vec.done[i]:
                expected[i] = []
            elif not (modes[i] == REQUEST and text == "no"):
                expected[i].append((int(actors[i]), int(actions[i])))
    assert asked > 50
    for seat in range(4):
        codes = vec.history(np.full(200, seat))
        for i in range(200):
            events = [code - 1 for code in codes[i] if code]
            seen = [(int(event // ACTIONS + seat) % 4, int(event % ACTIONS)) for event in events]
            assert seen == expected[i]


def test_sorting_leaves_no_trace():
    vec = casino_env.make_vec("swazi", 3, 100, seed=2, history=60, pile_order="ask", skip_forced=False)
    sorted_cards = 0
    for _ in range(60):
        before, modes = vec.games.logs.copy(), vec.records["mode"].copy()
        vec.step(vec.sample())
        for i in np.flatnonzero(modes == SORTING):
            sorted_cards += 1
            assert vec.done[i] or (vec.games.logs[i] == before[i]).all()
    assert sorted_cards > 50


@pytest.mark.parametrize("other", ["5D 5C", ""])
def test_a_top_that_scores_and_fits_a_build_is_seen(other) -> None:
    data = position("khasino", ["AH TS", "9C 3H"], layout="7D", builds=[(9, 1, "6C 3D")], piles=["4D 2S", other],
                    to_move=1, round=2)  # fmt: skip
    game = Game.from_json(data, skip_forced=False)
    found = [np.argwhere(segments(game, seat)["steals"]).tolist() for seat in range(2)]
    assert found == [[[0, 0, 1]], [[1, 1, 1]]]  # whose pile, whether its top fits a build of mine, points
    without = Game.from_json(data | {"rules": {"steal": "no", "no_return": False}}, skip_forced=False)
    assert not any(segments(without, seat)["steals"].any() for seat in range(2))


@pytest.mark.parametrize(("many", "taken"), [(2, 1), (3, 3)])
def test_a_court_card_takes_one_or_three(many, taken) -> None:
    courts = " ".join(["KH", "KD", "KC"][:many])
    data = position("cassino", ["KS", "9C"], layout=courts, round=2, rules={"courts": "one_or_three"})
    best = segments(Game.from_json(data, skip_forced=False), 0)["best"]
    assert best[BEST_POINTS : BEST_POINTS + BEST_CARDS].sum() == taken


def test_each_flag_of_a_turn_is_a_feature() -> None:
    game = Game("kasa", 2, seed=1, skip_forced=False)
    names = ("acted", "played", "stolen", "added", "merged", "no_new_build", "must_add", "take_build", "tops_only")
    for place, name in enumerate(names):
        other = game.clone()
        other.records[name] = 1
        assert np.flatnonzero(segments(other, 0)["flags"]).tolist() == [place], name
