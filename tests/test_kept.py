"""Files of every version of a format: read as they were meant, or refused in one line that says what to do.

The table in docs/reliability.md has a row for each kind of file and a column for each thing that may have changed.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="needs the extra `train`")

from casino_env import Game
from casino_env.agents.files import seal, unseal
from casino_env.agents.policy.policy_agent import make_policy
from casino_env.evaluate.matches.deals import make_book
from casino_env.evaluate.matches.match import Contest
from casino_env.evaluate.matches.tournament import load_tournament
from casino_env.knowledge import layout
from casino_env.record import read_record
from casino_env.rules import make_rules
from casino_env.train.run import Run
from tests.kept import FOLDER, read
from tests.kept_deals import changed, rows_of
from tests.refusals import refused

VERSIONS = sorted(FOLDER.iterdir())


@pytest.mark.parametrize("folder", VERSIONS, ids=lambda folder: folder.name)
def test_what_an_earlier_program_kept_is_read_as_it_was_meant(folder: Path, tmp_path: Path) -> None:
    read(folder, tmp_path)


# --- files of other versions -----------------------------------------------------------------------------------------


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    shutil.copytree(VERSIONS[-1], tmp_path, dirs_exist_ok=True)
    return tmp_path


def sealed(path: Path, **change: object) -> None:
    path.write_text(seal(unseal(path.read_text(), "") | change))


def pairings(path: Path, **change: object) -> None:
    ((_, _, settings),) = rows_of(path)[0]
    changed(path, "UPDATE pairings SET settings = ?", json.dumps(json.loads(settings) | change))


def other_tables(path: Path) -> None:
    changed(path, "PRAGMA application_id = 7")


def line(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def go_on(folder: Path) -> None:
    Contest(("greedy", "random"), make_book(make_rules("mini"), 4), out=folder / "match.sqlite").close()


def record(folder: Path) -> None:
    read_record((folder / "record.txt").read_text())


def policy(folder: Path) -> None:
    make_policy(str(folder))


def run(folder: Path) -> None:
    Run.resume(folder / "run").close()


def cup(folder: Path) -> None:
    load_tournament(folder / "cup")


CUP, STATE = "cup/tournament.sqlite", "run/checkpoints/000000000032/state.json"
OTHERS: list[tuple[str, Callable[..., None], dict[str, object], Callable[[Path], object], str]] = [
    ("policy.json", sealed, {"format": "casino-policy 2"}, policy, "this program reads 'casino-policy 3'.*; copy the"),
    ("policy.json", sealed, {"rules_version": 0}, policy, "made with rules_version 0; .*; train it again"),
    ("policy.json", sealed, {"observation_version": 1}, policy, "observation_version 1; .*; train it again"),
    (STATE, sealed, {"format": "casino-checkpoint 5"}, run, "format is 'casino-checkpoint 5'.*; start a new run"),
    (STATE, sealed, {"rules_version": 0}, run, "rules_version is 0, this program has 1; start a new run"),
    (STATE, sealed, {"observation_version": 1}, run, "observation_version is 1, .*; start a new run"),
    ("match.sqlite", pairings, {"rules_version": 0}, go_on, "was played with rules_version = 0, not 1"),
    ("match.sqlite", other_tables, {}, go_on, "written by another program, or by another version of this one"),
    (CUP, pairings, {"rules_version": 0}, cup, "was played with rules_version = 0, not 1"),
    ("record.txt", line, {"old": "rules_version: 1", "new": "rules_version: 0"},
     record, "rules_version: '0'; this program plays version 1"),
    ("record.txt", line, {"old": "casino-record 1", "new": "casino-record 0"},
     record, "line 1: must be"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "change", "how", "use", "said"), OTHERS, ids=range(len(OTHERS)))
def test_of_other_versions(kept, name, change, how, use, said):
    use(kept)
    change(kept / name, **how)
    with refused(said):
        use(kept)


@pytest.fixture
def another_segment(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Add a segment without a new OBSERVATION_VERSION."""
    lay_out = layout.lay_out

    def longer(*given: Any) -> int:
        count = lay_out(*given)
        given[4]["size"] += 4
        return int(count)

    monkeypatch.setattr(layout, "lay_out", longer)
    layout._make_layout.cache_clear()
    yield
    layout._make_layout.cache_clear()


@pytest.mark.usefixtures("another_segment")
def test_of_other_features(kept):
    uses: list[Any] = [partial(make_policy, name) for name in ("swazi-3-easy", "universal")]
    for use in (partial(policy, kept), *uses):
        with refused("features differ from .* train it again"):
            use()
    with refused("does not belong to this run"):
        run(kept)
    for name in ("position.json", "own_position.json"):
        Game.from_json(json.loads((kept / name).read_text()))
    load_tournament(kept / "cup")
