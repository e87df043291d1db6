"""Exams: papers give the loss of every turn, agents see only what their seat may know, and the maker resumes."""

import json

import numpy as np
import pytest

from benchmarks import exam as maker
from benchmarks import predict
from casino_env.evaluate import exam
from casino_env.evaluate.cli import main
from casino_env.evaluate.exam import PARTS, UNIT, Marker, answer, papers, read_paper, sit
from casino_env.observed import observe
from tests.players import Lowest
from tests.refusals import refused


class Watching(Lowest):
    """Keep all observations it is given."""

    def __init__(self):
        self.watched, self.shown = [], []

    def watch(self, observation):
        self.watched.append(observation)

    def act(self, observation):
        self.shown.append(observation)
        return observation.legal()[-1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Make a small paper in two steps; return its folder."""
    with pytest.MonkeyPatch.context() as patch:
        for module in (exam, maker):
            patch.setattr(module, "PAPERS", tmp_path_factory.getbasetemp() / "papers")
        for positions, playouts in ((3, 16), (8, 32)):
            assert maker.main(["cassino-2", "--positions", str(positions), "--playouts", str(playouts)]) == 0
    return tmp_path_factory.getbasetemp() / "papers"


@pytest.fixture
def made(folder, monkeypatch):
    monkeypatch.setattr(exam, "PAPERS", folder)
    return read_paper("cassino-2")


def test_a_paper_is_made_in_pieces(made, tmp_path, monkeypatch):
    monkeypatch.setattr(maker, "PAPERS", tmp_path)
    whole = exam.new_paper(made.name, made.rules, maker.SEED, made.head["judge"])
    maker.extend(whole, 8, 32)
    assert made.encoded() == whole.encoded() == (tmp_path / "cassino-2.json.gz").read_bytes()


def test_losses_are_those_beside_the_best_turn(made):
    assert len(made.questions) == 8 and {question.by for question in made.questions} <= {"play-outs", "solver"}
    for question in made.questions:
        assert question.playouts == 32 * (question.by == "play-outs")
        losses, halves = np.array([row[:2] for row in question.turns]).T
        assert len(losses) > 1 and losses[0] == 0 and halves[0] == 0
        assert (halves[1:] > 0).all() or question.by == "solver"


@pytest.mark.parametrize("name", papers())
def test_every_turn_of_a_paper_is_found_by_what_it_leaves(name):
    paper, marker = read_paper(name), Marker()
    for question in paper.questions[:12]:
        game, _ = answer(Lowest(), paper, question, 0)
        found = [marker.loss(game, question, actions) for _, _, *actions in question.turns]
        assert found == [loss / UNIT for loss, *_ in question.turns]
        some = question.turns[0][2:]
        assert marker.loss(game, question, [*some, *some[-1:]]) == found[0]  # actions after the turn do not count


def test_an_agent_is_shown_what_its_seat_may_know(made):
    for question in made.questions:
        agent = Watching()
        game, turn = answer(agent, made, question, 0)
        assert len(agent.watched) == len(question.played) and len(agent.shown) == len(turn)
        assert agent.shown[0].view.tobytes() == observe(game).view.tobytes()
        assert all(seen.seat == game.seat for seen in (*agent.watched, *agent.shown))
        assert question.phase or agent.shown[0].hidden > 10


def test_the_solver_makes_no_mistakes_and_chance_many():
    paper = read_paper("south-african-2")
    paper.questions[:] = [each for each in paper.questions if each.by == "solver"][:8]
    assert sit("solved:cards=7", paper).to_json()["mean"] == 0.0
    chance, rest = sit("random", paper), sit("policy:south-african-2", paper)
    assert chance.to_json()["mean"] > 0.0 and chance.more_than(rest).mean > 0.0


def test_turns_that_the_paper_does_not_know_have_no_mean():
    nothing = dict.fromkeys(("mean", "low", "high", "best"))
    assert exam._numbers(np.full(2, np.nan)) == {"positions": 2, "unknown": 2, **nothing}
    found = exam._numbers(np.array([0.0, np.nan, 1.0]))
    assert [found[name] for name in ("positions", "unknown", "mean", "best")] == [3, 1, 0.5, 0.5]


def test_the_command(made, capsys):
    words = ["exam", "counter", "greedy", "--game", "cassino-2", "--positions", "8"]
    parts = {}
    for part in PARTS:
        assert main([*words, "--part", part, "--json"]) == 0
        rows = parts[part] = json.loads(capsys.readouterr().out)
        assert [row["agent"] for row in rows] == ["counter", "greedy"]
        assert rows[1]["more"]["mean"] == pytest.approx(rows[1]["mean"] - rows[0]["mean"])
        assert sum(rows[0][phase]["positions"] for phase in exam.PHASES) == rows[0]["positions"]
    even = sum(question.deal % 2 == 0 for question in made.questions)
    assert [parts[part][0]["positions"] for part in PARTS] == [even, 8 - even, 8]
    assert main(words) == 0 and "more than" in capsys.readouterr().out


def test_what_exams_tell_of_matches(made, tmp_path, capsys):
    agents = ["random", "greedy", "counter", "policy:cassino-2"]
    words = ["cassino-2", "--agents", *agents, "--deals", "6", "--runs", str(tmp_path), "--threads", "1"]
    assert predict.main([*words, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    lost, won = ([row[key] for row in found["agents"]] for key in ("lost", "diff"))
    assert won[3] == 0 and found["correlation"] == pytest.approx(-np.corrcoef(lost, won)[0, 1])
    assert predict.main(words) == 0 and "correlation" in capsys.readouterr().out


def test_what_is_refused(made, capsys):
    with refused("unknown exam 'cassino' (did you mean 'cassino-2'?); known: cassino-2"):
        read_paper("cassino")
    assert main(["exam", "policy:royal-2"]) == 1
    assert main(["exam", "counter", "--game", "cassino-2", "--positions", "-1"]) == 1
    assert "positions -1: must be 2" in capsys.readouterr().err
    assert main(["exam", "tests.players:Illegal", "--game", "cassino-2", "--positions", "2"]) == 1
    assert "tests.players:Illegal" in capsys.readouterr().err
