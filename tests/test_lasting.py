"""How a later version, with another switch or other features, reads files that exist already."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from casino_env import Game
from casino_env.agents.cli import main as agents
from casino_env.agents.policy import policy_files, shipped
from casino_env.agents.policy.policy_files import change_description, write_description
from casino_env.agents.registry import AgentError, make_agent
from casino_env.agents.search.search_agent import Strongest
from casino_env.engine.state import RULES
from casino_env.knowledge import layout
from casino_env.play import cli as table
from casino_env.play.cli import levels
from casino_env.rules import Rules, make_rules, rules_of
from docs import generate
from tests.choices import OWN

ROOT = Path(__file__).parents[1]
GAME = make_rules("swazi", 3)


@pytest.fixture
def layouts():
    """Yield the module with an empty cache of layouts, for tests that change its segments."""
    layout._make_layout.cache_clear()
    yield layout
    layout._make_layout.cache_clear()


def universal():
    return layout.make_layout(GAME, universal=True)


# --- features ------------------------------------------------------------------------------------------------------


_NO_SWITCHES = ("deck", "numeric", "big_card", "courts", "spare_words")


def test_every_switch_has_a_row_of_its_own():
    rows = layout._RULE_ROWS
    assert len(set(rows)) == len(rows) <= layout._MOST_RULE_ROWS
    assert {name for name in RULES.names or () if name not in _NO_SWITCHES} <= set(rows)


def test_a_switch_that_is_appended_moves_nothing(layouts, monkeypatch):
    before = universal()
    trained = before.features
    monkeypatch.setattr(layouts, "_RULE_ROWS", (*layouts._RULE_ROWS, "sweeps"))  # stands for a new switch
    layouts._make_layout.cache_clear()
    after = universal()
    assert after.features != trained and after.fits(trained)
    on = set(before.record["constant"][0][: before.record["constants"][0]])
    assert on <= set(after.record["constant"][0][: after.record["constants"][0]])


@pytest.mark.parametrize("order", [lambda rows: ("new", *rows), lambda rows: (rows[1], rows[0], *rows[2:])])
def test_rows_in_another_order_do_not_fit(layouts, monkeypatch, order):
    trained = universal().features
    monkeypatch.setattr(layouts, "_RULE_ROWS", order(layouts._RULE_ROWS))
    assert not universal().fits(trained)


def test_more_rows_than_there_are_do_not_fit():
    trained = universal().features
    assert not universal().fits(trained | {"rule_rows": trained["rule_rows"] + 1})


# --- policies of another version -----------------------------------------------------------------------------------


@pytest.fixture
def some_outdated(tmp_path, monkeypatch):
    """A folder of policies: swazi-3 as an earlier version made it, with its levels, and khasino-3 unchanged."""
    for name in ("swazi-3", "khasino-3"):
        for path in policy_files.SHIPPED.glob(f"{name}*"):
            shutil.copy(path, tmp_path)
    change_description(tmp_path / "swazi-3.safetensors", observation_version=1)
    monkeypatch.setattr(policy_files, "SHIPPED", tmp_path)
    caches = shipped.strongest_policy, table._learners
    for cache in caches:
        cache.cache_clear()
    yield tmp_path
    for cache in caches:
        cache.cache_clear()


def test_where_all_policies_are_absent_no_package_is_blamed(capsys, monkeypatch):
    monkeypatch.setattr("casino_env.agents.cli.shipped", list)
    assert agents(["list"]) == 0
    assert "policy:NAME; names: none\n" in capsys.readouterr().out


@pytest.mark.usefixtures("some_outdated")
def test_a_policy_of_another_version_is_absent(capsys):
    assert shipped.shipped() == ["khasino-3", "khasino-3-easy", "khasino-3-medium"]
    assert list(shipped.absent()) == ["swazi-3"]
    assert agents(["list"]) == 0
    assert "Absent, trained for other rules or features: swazi-3;" in capsys.readouterr().out
    with pytest.raises(AgentError, match="observation_version 1; this program has"):
        make_agent("policy:swazi-3")


@pytest.mark.usefixtures("some_outdated")
def test_what_asks_for_policies_goes_on_without_it():
    assert levels(GAME) == ["greedy", "builder", "counter", "strongest:time=2"]
    assert shipped.strongest_policy(GAME) is None
    Strongest(sims=8).check(GAME)
    assert list(generate.best_policies()) == ["khasino-3"]
    assert "khasino-3" in "\n".join(generate.strength_table() + generate.results_table())


@pytest.mark.usefixtures("some_outdated")
def test_results_stay_in_the_documents_while_policies_are_absent(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["generate.py", "--check"])
    assert generate.main() == 0
    assert "docs/strength.md" in capsys.readouterr().err


def test_damage_is_no_other_version(some_outdated):
    write_description(some_outdated / "khasino-3.safetensors", {"network": "afterstates"}, [])
    with pytest.raises(ValueError, match="rules_version None"):
        make_agent("policy:khasino-3")


# --- files that name rules -----------------------------------------------------------------------------------------


def test_files_name_only_what_differs():
    assert Game("cassino", seed=3, sweeps=True).to_json()["rules"] == {"sweeps": True}
    assert Game(OWN, seed=3).to_json()["rules"] == {
        "own": True,
        "deck": 40,
        "table_cards": 1,
        "target": 30,
        "sweeps": True,
    }


def test_a_whole_record_is_read_as_well():
    rules = Rules(name="ours", deck=40)
    whole = {name: getattr(rules, name) for name in Rules.__dataclass_fields__ if name not in ("name", "players")}
    assert rules_of("ours", 2, whole) == rules
    del whole["sweeps"]  # as if the switch had been added later
    assert rules_of("ours", 2, whole) == rules


@pytest.mark.parametrize(
    ("changes", "said"), [({}, "unknown variant 'ours'"), ({"own": 1}, "true or false"), ({"own": True, "x": 1}, "'x'")]
)
def test_a_game_of_ones_own_has_to_say_so(changes, said):
    with pytest.raises(ValueError, match=said):
        rules_of("ours", 2, changes)


def _choices(folder: Path) -> dict[str, str]:
    environment = {**os.environ, "PYTHONPATH": str(folder), "CASINO_ENV_CACHE": str(folder / "cache")}
    if folder == ROOT:
        del environment["CASINO_ENV_CACHE"]
    command = [sys.executable, "-m", "tests.choices", "--count", "1000"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return dict(json.loads(done.stdout))


@pytest.mark.slow
def test_a_new_switch_changes_no_policy_and_no_file(tmp_path):
    """Add a switch to a copy of the sources: policies choose and files say the same as before."""
    copy = tmp_path / "copy"
    for name in ("casino_env", "agents", "evaluate", "train", "play", "configs", "tests", "docs"):
        shutil.copytree(ROOT / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    rules, rows = copy / "casino_env" / "switches.py", copy / "casino_env" / "knowledge" / "layout.py"
    state, none = copy / "casino_env" / "engine" / "state.py", "_LATER: tuple[str, ...] = ()\n"
    assert state.read_text().count(none) == 1
    state.write_text(state.read_text().replace(none, '_LATER: tuple[str, ...] = ("last_sweep",)\n'))
    switch = "    sweeps: bool = False  # a point for each capture that empties the table\n"
    assert rules.read_text().count(switch) == 1
    rules.write_text(rules.read_text().replace(switch, "    last_sweep: bool = True\n" + switch))
    assert rows.read_text().count('"owner_top",\n)') == 1
    rows.write_text(rows.read_text().replace('"owner_top",\n)', '"owner_top", "last_sweep",\n)'))
    assert _choices(copy) == _choices(ROOT)
    code = "import sys; from pathlib import Path; from tests.kept import FOLDER, read\n"
    code += "for folder in FOLDER.iterdir(): read(folder, Path(sys.argv[1]) / folder.name)"
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "scratch")], cwd=copy, check=True)
