"""The agent contract for every agent in every game, and the commands of agents."""

import codecs
import json

import numpy as np
import pytest

from casino_env import Game, make_rules, make_vec, observe
from casino_env.actions import ACTIONS
from casino_env.agents.base import ManyGames, analysis_of, planned_turn, probabilities_of
from casino_env.agents.cli import main
from casino_env.agents.policy import Policy
from casino_env.agents.registry import AGENTS, make_agent
from casino_env.game import unchecked_game
from casino_env.observed import sample_determinizations
from tests.hidden import twin_of
from tests.players import Lowest
from tests.random_play import every_game, label, random_decisions
from tests.refusals import refused
from tests.situations import position
from tests.untrained import untrained

SEARCHES = ("search:sims=16", "strongest:sims=20")
NAMES = (*(name for name in AGENTS if name not in ("search", "strongest")), "policy by afterstates", *SEARCHES)


def decisions(rules, count):
    return random_decisions(rules, count, seed=7)


def agent_for(name, rules):
    """Make an agent by name; a policy gets an untrained network for these rules."""
    if not name.startswith("policy"):
        return make_agent(name)
    return Policy(untrained(rules, (32, 16), logits=ACTIONS if name == "policy" else 0, seed=3), temperature=1.0)


@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_moves_are_legal_and_fixed_by_the_seed(rules):
    for name in NAMES:
        agents = [agent_for(name, rules), agent_for(name, rules)]
        for game in decisions(rules, 6):
            seen = observe(game)
            for agent in agents:
                agent.reset(game.seat, np.random.default_rng(5))
            first, second = (agent.act(seen) for agent in agents)
            assert first == second, name
            assert first in game.legal(), name


@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_hidden_cards_change_no_choice(rules):
    rng = np.random.default_rng(1)
    for game in decisions(rules, 8):
        twin = twin_of(game, game.seat, rng)
        for name in NAMES:
            agent = agent_for(name, rules)
            ours, theirs = probabilities_of(agent, observe(game)), probabilities_of(agent, observe(twin))
            assert np.array_equal(ours, theirs), name


@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_threads_change_no_choice(rules):
    for game in decisions(rules, 4):
        for spec in SEARCHES:
            one, two = (make_agent(f"{spec},threads={threads}").analyse(observe(game)) for threads in (1, 2))
            assert np.array_equal(one.chances, two.chances) and one.values == two.values


@pytest.mark.parametrize("rules", every_game(), ids=label)
def test_whole_deals_are_played_to_the_end(rules):
    agents = [agent_for(NAMES[(seat + 1) % len(NAMES)], rules) for seat in range(rules.players)]
    game = Game(rules, seed=3)
    for seat, agent in enumerate(agents):
        agent.reset(seat, np.random.default_rng(seat))
    while not game.over:
        game.apply(agents[game.seat].act(observe(game)))


@pytest.mark.parametrize("name", [name for name in NAMES if not name.startswith(("search", "solved", "strongest"))])
def test_many_games_at_once_are_played_as_one_by_one(name):
    for variant, players in (("south-african", 2), ("swazi", 4), ("cassino", 3)):
        vec = make_vec(variant, players, num_envs=24, seed=1)
        one, many = agent_for(name, vec.rules), agent_for(name, vec.rules)
        for agent in (one, many):
            agent.reset(0, np.random.default_rng(0))
        assert isinstance(many, ManyGames)
        for _ in range(8):
            actions = many.act_many(vec.rules, vec.views(), vec.actor, vec.games.legal)
            single = [one.act(vec.observed(int(vec.actor[i]), i)) for i in range(vec.num_envs)]
            assert actions.tolist() == single
            vec.act(actions)


def test_probabilities_of_an_agent_that_has_none_are_certain():
    game = Game("cassino", 2, seed=1)
    assert probabilities_of(Lowest(), observe(game))[game.legal()[0]] == 1.0
    found = analysis_of(Lowest(), observe(game))
    assert (found.action, found.chances[game.legal()[0]], found.value, found.values) == (game.legal()[0], 1.0, None, {})


@pytest.mark.parametrize("name", NAMES)
def test_an_analysis_says_what_the_methods_say(name):
    rules = make_rules("khasino", 2)
    for game in decisions(rules, 12):
        one, other = agent_for(name, rules), agent_for(name, rules)
        for agent in (one, other):
            agent.reset(game.seat, np.random.default_rng(5))
        seen = observe(game)
        found = analysis_of(one, seen)
        assert found.action == other.act(seen)
        assert np.array_equal(found.chances, probabilities_of(other, seen))
        assert found.chances[found.action] > 0 and set(found.values) <= set(game.legal())


def test_values_name_each_legal_action():
    game = Game("south-african", 2, seed=4)
    values = make_agent("counter").analyse(observe(game)).values
    assert sorted(values) == game.legal()
    best = max(values.values())
    assert values[make_agent("counter").act(observe(game))] == pytest.approx(best)


def test_a_planned_turn_tells_nothing_of_what_is_hidden():
    """In Swazi a steal uncovers a card of a secret pile. A plan ends there, and is the same in all possible games."""
    agent, stole = make_agent("greedy"), 0

    def planned(game: Game) -> list[int]:
        agent.reset(game.seat, np.random.default_rng(1))
        return planned_turn(agent, game)

    for seed in range(12):
        game, rng = Game("swazi", 2, seed=seed), np.random.default_rng(seed)
        while not game.over:
            seen = observe(game)
            if seen.view["shuffled"][0] and not game.record["acted"]:
                plan = planned(game)
                for world in sample_determinizations(seen, 4, rng):
                    assert planned(unchecked_game(world, game.rules)) == plan
                stole += len(plan) > 1
            game.apply(agent.act(seen))
    assert stole


@pytest.mark.parametrize("spec", ["tests.rogues:Fractional", "solved:tests.rogues:Fractional"])
def test_what_is_no_whole_number_is_no_action(spec):
    agent, game = make_agent(spec), Game("south-african", 2, seed=1)
    agent.reset(game.seat, np.random.default_rng(0))
    with refused("an action must be a whole number from 0 to 191, not"):
        planned_turn(agent, game)


# --- commands ------------------------------------------------------------------------------------------------------

HANDS = ["7S 8H 8C", "AS AH"]
POSITION = position("south-african", HANDS, layout="7D", builds=[(8, 0, "5C 3H")], piles=["", "6S AC"])


def positions(tmp_path, *rows):
    path = tmp_path / "positions.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return str(path)


def test_list(capsys):
    assert main(["list", "--json"]) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)] == list(AGENTS)
    assert main(["list"]) == 0
    assert "counter" in capsys.readouterr().out


def test_move_answers_every_line(capsys, tmp_path):
    game = Game.from_json(POSITION)
    assert main(["move", "counter", positions(tmp_path, POSITION, {}, "no json", POSITION), "--json"]) == 1
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [sorted(row) == ["error"] for row in rows] == [False, True, True, False]
    assert rows[0] == rows[3]
    assert rows[0]["action"] == rows[0]["actions"][0]
    assert len(rows[0]["probabilities"]) == len(game.legal())
    assert sum(rows[0]["probabilities"].values()) == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"[" * 10**5, "position: lists and objects are nested too deeply"),
        (b'{"seed": NaN}', "position: NaN is not a JSON number"),
        ("{}".encode("utf-16"), "position: byte 0 is not UTF-8 text"),
        (b"no json", "position: Expecting value: line 1 column 1 (char 0)"),
    ],
)
def test_move_says_what_is_wrong_with_a_line(line, said, capsys, tmp_path):
    """A byte-order mark is accepted."""
    file = tmp_path / "positions.jsonl"
    file.write_bytes(codecs.BOM_UTF8 + json.dumps(POSITION).encode() + b"\n" + line)
    assert main(["move", "random", str(file), "--json"]) == 1
    rows = [json.loads(row) for row in capsys.readouterr().out.splitlines()]
    assert "action" in rows[0] and rows[1:] == [{"error": said}]


def test_move_as_text(capsys, tmp_path):
    assert main(["move", "greedy", positions(tmp_path, POSITION)]) == 0
    out = capsys.readouterr().out
    assert out.startswith("seat 0: capture with 8")
    assert "taking the 8-build" in out


def test_move_uses_only_what_the_seat_knows(capsys, tmp_path):
    other = POSITION | {"hands": [POSITION["hands"][0], ["TS", "9H"]]}
    assert main(["move", "counter", positions(tmp_path, POSITION, other), "--json"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first == second


def test_wrong_use_has_exit_code_two(capsys, tmp_path):
    assert main(["move", "conter", positions(tmp_path, POSITION)]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    with pytest.raises(SystemExit) as caught:
        main(["move"])
    assert caught.value.code == 2
    assert main(["move", "counter", str(tmp_path / "nothing")]) == 1
