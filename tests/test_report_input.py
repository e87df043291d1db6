"""What a report is given: read whole, refused in a line, or passed over."""

import json
import os
from typing import Any

import pytest

from casino_env.agents.files import read_journal, seal, unseal, write_journal
from casino_env.evaluate.matches.tournament import TournamentSettings, pair_file, play_tournament
from casino_env.evaluate.matches.workers import Threads
from casino_env.evaluate.report.charts import charts
from casino_env.evaluate.report.contents import read_all
from casino_env.evaluate.report.page import sentences
from tests.reporting import CUP, MATCH, command, data_of

SWAZI: dict[str, Any] = {"variant": "swazi", "players": 2, "rules": {}, "seed": 0}
STYLE = {"variant": "v", "players": 2, "agent": "x", "against": "y", "deals": 9, "turns": {}, "builds": {},
         "captures by turn": []}  # fmt: skip


def _lines(*rows):
    return "".join(seal({"n": number, **row}) + "\n" for number, row in enumerate(rows))


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "there is no such file"),
        ({"empty/nothing.csv": ""}, "nothing to report"),
        ({"x/notes.json": "hello"}, "not JSON: "),
        ({"x/notes.jsonl": "[]\nhello"}, "notes.jsonl: line 2: "),
        ({"x/deep.json": "[" * 100_000}, "deep.json: lists and objects are nested too deeply"),
        ({"x/nan.json": '{"a": NaN}'}, "nan.json: NaN is not a number of JSON"),
        ({"x/other.json": '{"a": 1}'}, "nothing to report"),
        ({"x/tournament.json": "{"}, "tournament.json: damaged"),
        ({"x/tournament.json": seal(CUP | {"agents": ["greedy", 5]})}, "agents: 1: 5; it must be text"),
        ({"x/tournament.json": seal(CUP | {"agents": ["a", "a"]})}, "needs two different agents or more, at most 1000"),
        (
            {"x/tournament.json": seal(CUP | {"agents": [f"a{k}" for k in range(1001)]})},
            "needs two different agents or more, at most 1000",
        ),
        ({"x/tournament.json": seal(CUP | {"players": 7})}, "tournament.json: swazi is played by"),
        ({"x/tournament.json": seal(CUP | {"rules": []})}, "rules: []; it must be a table"),
        ({"x/tournament.json": seal(CUP | {"sead": 1})}, "unknown key 'sead' (did you mean 'seed'?)"),
        ({"x/tournament.json": seal(CUP | {"seed": -1})}, "seed: -1; it must be greater than or equal to 0"),
        ({"x/progress.jsonl": '{"decisions": 1}\n'}, "line 1: not written by this program"),
        ({"x/progress.jsonl": _lines({}, {"decisions": 1}, {"vs": 3})}, "line 3: decisions is missing"),
        ({"x/progress.jsonl": _lines({}, {"decisions": 1, "vs": {"a": 3}})}, "vs: a: 3; it must be a table"),
        ({"x/progress.jsonl": _lines({}, {"decisions": 1, "seconds": "1"})}, "seconds: '1'; it must be a number"),
        ({"x/m.json": json.dumps(MATCH | {"diff": "much"})}, "m.json: diff: 'much'; it must be a number"),
        ({"x/m.json": json.dumps(MATCH | {"win_a": 2})}, "m.json: win_a: 2; it must be less than or equal to 1"),
        ({"x/m.json": json.dumps(MATCH | {"deals": 10**400})}, "m.json: deals: 1000"),
        ({"x/s.json": json.dumps(STYLE | {"turns": {"a\nb": 1}})}, "s.json: turns: a b: 1; it must be a table"),
        ({"x/m.json": json.dumps({**MATCH, "low": [1]})}, "m.json: low: [1]; it must be a number"),
        (
            {"x/m.json": json.dumps({"vairant" if key == "variant" else key: MATCH[key] for key in MATCH})},
            "m.json: variant is missing (did you mean 'vairant'?)",
        ),
    ],
)
def test_what_cannot_be_read(capsys, tmp_path, files, said):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    code, _, err = command(
        capsys, "report", tmp_path / "x" if "empty/nothing.csv" not in files else tmp_path, "--out", tmp_path / "r.html"
    )
    assert code == 1 and said in err and err.count("\n") == 1 and not (tmp_path / "r.html").exists()


def test_a_result_that_was_changed_is_refused(capsys, tmp_path):
    """It may be written down in another way, or be somebody's own, without a digest."""
    _, said, _ = command(capsys, "match", "greedy", "random", "--deals", 2, "--json")
    row, path = json.loads(said), tmp_path / "m.json"
    for text in (json.dumps(dict(reversed(row.items())), indent=2), json.dumps([row]), json.dumps(MATCH)):
        path.write_text(text)
        assert len(read_all([str(path)])["matches"]) == 1
    for changed in (row | {"diff": row["diff"] + 1}, row | {"x": 1}, row | {"digest": "0"}, {"y": row["diff"]} | row):
        path.write_text(json.dumps(changed))
        code, _, err = command(capsys, "report", tmp_path, "--out", tmp_path / "r.html")
        assert code == 1 and "m.json: damaged: its checksum does not fit; print it again" in err


def test_a_broken_policy_is_a_note(capsys, tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "progress.jsonl").write_text(_lines({}, {"decisions": 5, "vs": {}}))
    for text in ("{", "{}", '{"variant": "swazi", "players": 2, "rules": {}}'):
        (tmp_path / "run" / "policy.json").write_text(text)
        assert command(capsys, "report", tmp_path, "--out", tmp_path / "r.html")[0] == 0
        assert "No style" in data_of(tmp_path / "r.html")["notes"][0]


def test_a_tournament_without_deals(tmp_path):
    (tmp_path / "cup" / "pairs").mkdir(parents=True)
    (tmp_path / "cup" / "tournament.json").write_text(seal(CUP))
    assert read_all([str(tmp_path)])["tournaments"][0]["ratings"] == []


def test_what_is_no_result_is_passed_over(capsys, tmp_path):
    """Saved deals lie beside the matches on them, with a checksum of their own."""
    assert command(capsys, "book", tmp_path / "book.json", "--variant", "mini", "--deals", 3)[0] == 0
    (tmp_path / "m.json").write_text(json.dumps(MATCH))
    assert len(read_all([str(tmp_path)])["matches"]) == 1


def test_a_sentence_counts_the_deals_of_its_pair(tmp_path):
    """A later run may ask for fewer than were played."""
    for deals in (9, 4):
        with Threads(1) as crew:
            play_tournament(
                tmp_path / "cup", TournamentSettings(agents=("random", "counter"), deals=deals, **SWAZI), crew
            )
    assert "2 players, 9 deals" in sentences(read_all([str(tmp_path)]) | {"exploits": [], "regrets": []})[0]


def test_a_run_may_not_have_met_anybody_yet(tmp_path):
    (tmp_path / "run").mkdir()
    points: list[dict[str, Any]] = [{"decisions": 5, "vs": None}, {"decisions": 6, "vs": {"greedy": {"diff": 1}}}]
    write_journal(tmp_path / "run" / "progress.jsonl", [{"format": "x"}, *points])
    assert charts(read_all([str(tmp_path)]))["run0"]


def test_folders_that_lead_back_are_read_once(capsys, tmp_path):
    (tmp_path / "m.json").write_text(json.dumps(MATCH))
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe.json")
    assert command(capsys, "report", tmp_path, "--out", tmp_path / "r.html")[0] == 0
    assert len(data_of(tmp_path / "r.html")["matches"]) == 1


def test_agents_of_a_tournament_run_no_code(capsys, tmp_path):
    code = f"os:system:command=touch {tmp_path}/trace"
    with Threads(1) as crew:
        play_tournament(tmp_path / "cup", TournamentSettings(agents=("random", "greedy"), deals=4, **SWAZI), crew)
    path = tmp_path / "cup" / "tournament.json"
    path.write_text(seal(unseal(path.read_text(), "") | {"agents": [code, "greedy"]}))
    (pair,) = (tmp_path / "cup" / "pairs").iterdir()
    rows = read_journal(pair)
    write_journal(pair_file(tmp_path / "cup", (code, "greedy")), [rows[0] | {"a": code}, *rows[1:]])
    pair.unlink()
    assert command(capsys, "report", tmp_path / "cup", "--out", tmp_path / "r.html", "--style", 4)[0] == 0
    notes = data_of(tmp_path / "r.html")["notes"]
    assert "is code of its own: name it on the command line (or --trust)" in notes[0]
    words = ("tournament", "greedy", "random", "--variant", "swazi", "--deals", 4, "--out", tmp_path / "cup")
    returned, _, err = command(capsys, *words)
    assert returned in (1, 2) and "is code of its own" in err and err.count("\n") == 1
    assert not (tmp_path / "trace").exists()
