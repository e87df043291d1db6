"""Specs of agents: names and parameters, refusals, and that no file or request names code to be run."""

import importlib.util
import sys

import pytest

from casino_env.agents.registry import AGENTS, AgentError, describe, ladder, make_agent, spec_from_file
from casino_env.agents.scripted.bots import BOTS
from casino_env.rules import make_rules
from tests.players import Lowest
from tests.refusals import refused


class Own(Lowest):
    """An agent outside the registry, found by its dotted path."""

    def __init__(self, depth: int = 1, brave: bool = False, mood: str = "calm", speed: float = 1.0) -> None:
        self.given = depth, brave, mood, speed


class Needy(Own):
    def __init__(self, path: str) -> None:
        self.path = path


def no_agent():
    return 7


class Failing(Own):
    def __init__(self) -> None:
        raise RuntimeError("two\nlines")


def describe_one(name):
    return next(row["parameters"] for row in describe() if row["name"] == name)


@pytest.mark.parametrize(
    "spec",
    [
        "tests.test_specs:Own:depth=3,brave=yes,mood=wild,speed=0.5",
        "tests.test_specs.Own:depth=3,brave=true,mood=wild,speed=0.5",
        "tests.test_specs:Own:3,brave=1,mood=wild,speed=0.5",
    ],
)
def test_own_agents_by_dotted_path(spec):
    assert make_agent(spec).given == (3, True, "wild", 0.5)


def test_first_parameter_may_stand_alone():
    assert make_agent("tests.test_specs.Needy:runs/best").path == "runs/best"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("countre", "unknown agent 'countre' (did you mean 'counter'?); known: random"),
        ("", "unknown agent ''"),
        ("counter:efort=3", "counter: unknown parameter 'efort' (did you mean 'effort'?); known: effort"),
        ("counter:effort=many", "counter: effort = 'many'; it must be a whole number"),
        ("counter:effort=1_6", "counter: effort = '1_6'; it must be a whole number"),
        ("counter:effort=1,effort=2", "counter: parameter 'effort' is given twice"),
        ("counter:1,2", "counter: '2' is not key=value"),
        ("tests.test_specs:Owl", "unknown agent 'Owl' (did you mean 'Own'?): module tests.test_specs does not define"),
        ("tests.nowhere.Agent", "unknown agent 'tests.nowhere.Agent': no module"),
        ("tests.test_specs:Own:brave=perhaps", "brave = 'perhaps'; it must be true or false"),
        ("tests.test_specs:Own:speed=fast", "speed = 'fast'; it must be a finite number"),
        ("tests.test_specs:Own:speed=nan", "speed = 'nan'; it must be a finite number"),
        ("tests.test_specs:Own:speed=-inf", "speed = '-inf'; it must be a finite number"),
        ("tests.test_specs:Own:speed=1_6.0", "speed = '1_6.0'; it must be a finite number"),
        ("tests.test_specs:Failing", "tests.test_specs.Failing: RuntimeError: two lines"),
        ("tests.rogue_module:Any", "tests.rogue_module:Any cannot be used: RuntimeError: not to be imported"),
        ("lowest:Lowest", "; no module 'lowest' either"),
        (":", "unknown agent ''"),
        ("x:", "unknown agent 'x'"),
        ("counter\n:effort=1", "unknown agent 'counter\\n'"),
        ("policy:../..", "no weights found"),
        ("policy:a\0b", "no weights found"),
        ("policy:\ud800", "no weights found"),
        ("\ud800.x:\u0e01", ": no module"),
        ("a\0b.c", ": no module"),
        ("counter:" + "9" * 10_000_000, "a spec has at most 4096"),
        ("counter:effort=" + "9" * 4000, "it must be"),
        (7, "an agent must be named by a string, not 7"),
        (None, "an agent must be named by a string"),
        ("tests.test_specs:Needy", "parameter 'path' is missing; write tests.test_specs.Needy:path=..."),
        ("tests.test_specs:no_agent", "an agent needs the methods reset and act"),
    ],
)
def test_wrong_specs_say_what_would_be_right(spec, said):
    with refused(said, AgentError, most=1000):
        make_agent(spec)


CODE = "tests.rogue_module:Any"


@pytest.mark.parametrize(
    "spec",
    [
        CODE,
        "tests.rogue_module.Any",
        "tests.rogue_module:Any:key=value",
        "tests.rogue_module.Any:key=value",
        "tests.rogue_module",
        "os:system:command=false",
        *(f"{name}:{item['name']}={CODE}" for name in AGENTS for item in describe_one(name)),
        f"solved:{CODE}",
        f"solved:agent=solved:agent={CODE}",
    ],
)
def test_what_a_file_names_is_never_run(spec):
    """A spec from a file imports nothing, whichever parameter of an agent it stands in."""
    with refused("", AgentError):
        make_agent(spec_from_file(spec, "saved.json"))
    with pytest.raises(AgentError):
        make_agent(spec, trusted=False)
    assert "tests.rogue_module" not in sys.modules


def test_the_users_folder_is_looked_into_for_the_named_bot_alone(tmp_path, monkeypatch):
    """A library that tries to import a missing module does not find one in the user's folder."""
    (tmp_path / "their_bot.py").write_text("from their_helper import Base\nclass Bot(Base): pass\n")
    (tmp_path / "their_helper.py").write_text(
        "class Base:\n    def __init__(self): import their_other\n    def reset(self, *_): ...\n    act = reset\n"
    )
    (tmp_path / "their_other.py").touch()
    (tmp_path / "coverage_of_something").mkdir()
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place])
    before = list(sys.path)
    assert type(make_agent("their_bot:Bot")).__name__ == "Bot"
    assert "their_other" in sys.modules and sys.path == before
    for spec in ("their_bot:Bet", "their_other:Bot", "nothing:Bot", "their_bot:Bot:depth=1"):
        with pytest.raises(AgentError):
            make_agent(spec)
    assert sys.path == before and importlib.util.find_spec("coverage_of_something") is None


@pytest.mark.parametrize("spec", [*AGENTS, "counter:effort=3", "solved:greedy", "search:sims=8", "policy:swazi-2"])
def test_agents_of_the_project_may_stand_in_files(spec):
    if spec == "policy":
        return  # it needs a path
    assert spec_from_file(spec, "saved.json") == spec


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("my.bots:Best", "saved.json: agent 'my.bots:Best' runs its own code: name it on the command line"),
        ("solved:agent=my.bots:Best", "saved.json: agent 'my.bots:Best' runs its own code"),
        ("countre", "saved.json: unknown agent 'countre' (did you mean 'counter'?)"),
        (["counter"], "saved.json: an agent must be named by a string, not ['counter']"),
        ("counter:efort=3", "saved.json: counter: unknown parameter 'efort'"),
    ],
)
def test_what_is_said_of_specs_in_files(spec, said):
    with refused(said, AgentError):
        spec_from_file(spec, "saved.json")


def test_every_agent_is_described():
    assert [row["name"] for row in describe()] == list(AGENTS)
    assert describe()[0]["parameters"] == [{"name": "effort", "type": "int", "default": 0}]


def test_the_registry_is_the_only_list_of_agents():
    """A scripted bot needs its weights and a row here; all lists of bots are made from these rows."""
    assert ladder(make_rules("partnership", 4)) == list(BOTS)
    assert ladder(make_rules("swazi", 4)) == [name for name in BOTS if name != "beginner"]
    assert ladder(make_rules("cassino", 2)) == [name for name in BOTS if name != "partner"]
    offered = [(name, given) for name, entry in AGENTS.items() for given in entry.offered]  # to card tables
    assert {name for name, _ in offered} == {*BOTS, "search"} - {"beginner"}
    assert all(make_agent(f"{name}:{given}" if given else name) for name, given in offered)
    told = [entry for name, entry in AGENTS.items() if name != "policy"]  # policies have levels instead
    assert all(entry.title and entry.line for entry in told)
