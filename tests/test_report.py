"""The report: everything given to it is on the page and in the files; nothing is loaded from elsewhere.

A file that cannot be read is refused in a line."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from functools import partial
from html import unescape
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image

from casino_env.agents.files import write_journal
from casino_env.evaluate.charts import FORMATS, Column, Curve, Point, charts, curves, drawn, inline, intervals
from casino_env.evaluate.matches.tournament import FILE, TournamentSettings, play_tournament
from casino_env.evaluate.matches.workers import Threads
from casino_env.evaluate.report import KINDS, page, read_all
from casino_env.evaluate.seeds import settings_of
from casino_env.run_folder import RunFolder
from tests.kept_deals import changed

AGENTS = ("random", "greedy", "counter")
MATCH = {"a": "x", "b": "y", "diff": 1, "low": 0, "high": 2, "deals": 9, "variant": "v", "players": 2, "win_a": 0.5}
SWAZI: dict[str, Any] = {"variant": "swazi", "players": 2, "rules": {}, "seed": 0}


def data_of(page):
    """Return the data of a page, which the command writes beside it."""
    return json.loads((page.with_suffix("") / "report.json").read_text())


@pytest.fixture
def run(casino):
    return partial(casino, "evaluate")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with a tournament that has a failure, a run, and results of commands."""
    place = tmp_path_factory.mktemp("results")
    cup = TournamentSettings(
        agents=(*AGENTS, "tests.players:Illegal"), variant="swazi", players=2, rules={}, seed=3, deals=12
    )
    with Threads(1) as crew:
        play_tournament(place / "cup", cup, crew)
    (place / "run").mkdir()
    lines = [
        {"decisions": 1000 * k, "seconds": 2.0 * k, "entropy": 1 / k,
         "vs": {"greedy": {"diff": k, "low": k - 1, "high": k + 1}}} for k in range(1, 6)
    ]  # fmt: skip
    write_journal(place / "run" / "progress.jsonl", lines)
    return place


def written(run, folder, out, *words):
    if not (folder / "match.json").exists():
        (folder / "match.json").write_text(run("match", "counter", "greedy", "--deals", 4, "--json")[1])
    code, said, _ = run("report", folder, "--out", out, *words)
    assert code == 0 and said.startswith(f"{out}\n")
    return sorted(out.with_suffix("").iterdir())


def test_everything_is_there(run, folder, tmp_path):
    files = written(run, folder, tmp_path / "all.html")
    text = (tmp_path / "all.html").read_text()
    assert not re.findall(r"<script|(?:src|href)=\"(?!#)|https?://(?!www\.w3\.org/)|@import|url\((?!#)", text)
    data = data_of(tmp_path / "all.html")
    assert [row["agent"] for row in data["tournaments"][0]["ratings"]] == ["counter", "greedy", "random"]
    assert "illegal action" in data["tournaments"][0]["failures"][0] in unescape(text)
    assert [point["decisions"] for point in data["runs"][0]["points"]] == [1000, 2000, 3000, 4000, 5000]
    assert len(data["matches"]) == 1
    assert re.findall(r'<section id="(\w+)">', text) == ["tournament0", "run0", "matches"]
    rating = data["tournaments"][0]["ratings"][0]
    assert f"<td>counter</td><td>{rating['elo']:+.0f}</td>" in text
    colours = dict(re.findall(r"var\(--(good|bad)\)[^>]*>([+-])", text))
    assert colours == {"good": "+", "bad": "-"}
    rows = {path.name: list(csv.DictReader(path.read_text().splitlines())) for path in files if path.suffix == ".csv"}
    counts = {name: len(found) for name, found in rows.items()}
    assert counts == {"standings.csv": 3, "pairs.csv": 3, "progress.csv": 5, "matches.csv": 1}
    assert rows["progress.csv"][1]["vs: greedy: diff"] == "2"


def test_charts_are_on_the_page_and_in_files(run, folder, tmp_path):
    """Each chart has a file in every format that is asked for, and needs no style from elsewhere."""
    files = written(run, folder, tmp_path / "x.html", "--charts", "svg", "png", "pdf")
    drawn = {form: {path.stem: path for path in files if path.suffix == f".{form}"} for form in ("svg", "png", "pdf")}
    assert set(drawn["svg"]) == set(drawn["png"]) == set(drawn["pdf"]) and len(drawn["svg"]) > 4
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in drawn["png"].values())
    assert all(path.read_bytes().startswith(b"%PDF") for path in drawn["pdf"].values())
    page = (tmp_path / "x.html").read_text()
    assert len(re.findall(r'<svg [^>]*version="1.1"', page)) == len(drawn["svg"])
    for name, path in drawn["svg"].items():
        text = path.read_text()
        assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg", name
        assert "var(" not in text and "nan" not in text
    standings = drawn["svg"]["tournament0-elo-and-points-a-deal"].read_text()
    assert all(f">{agent}</text>" in standings for agent in AGENTS)
    assert "var(--ink)" in page and "<h3>Strength by minutes</h3>" in page


def test_names_cannot_break_the_page():
    name = "</script><script>alert(1)</script><b>"
    report: dict[str, list] = {kind: [] for kind in KINDS} | {"matches": [MATCH | {"a": name}]}
    text = page("<b>", report, charts(report), ["<b>"])
    assert "<b>" not in text and "<script" not in text and "</script" not in text
    assert text.count("&lt;/script&gt;") >= 2


def test_what_has_no_interval_has_a_dash(run, tmp_path):
    (tmp_path / "m.json").write_text(json.dumps(MATCH | {"low": None, "high": None}))
    assert run("report", tmp_path, "--out", tmp_path / "r.html").code == 0
    assert "<td>-</td>" in (tmp_path / "r.html").read_text()


def test_wrong_calls(run, folder):
    assert "must end in .html" in run("report", folder, "--out", "report")[2]
    assert run("report", folder, "--charts", "gif").code == 2


def test_names_may_be_anything(run, tmp_path):
    """Drawings, pages and tables stay valid whatever an agent is called."""
    name = "a\x00\x1b[31m\x0c\ufffe\ud800<&>'\"]]></svg><script>$x$"
    (tmp_path / "m.json").write_text(json.dumps(MATCH | {"a": name, "b": "x" * 3000}))
    point = {"decisions": 5, "vs": {name: {"diff": 1}}, name: 3}
    (tmp_path / "run").mkdir()
    write_journal(tmp_path / "run" / "progress.jsonl", [point, point | {"decisions": 6}])
    words = ("--out", tmp_path / "r.html", "--title", name, "--charts", "svg", "png")
    code, _, err = run("report", tmp_path, *words)
    assert (code, err) == (0, "")
    drawn = list((tmp_path / "r").glob("*.svg"))
    assert len(drawn) > 2
    for path in drawn:
        ElementTree.fromstring(path.read_text())
    assert "<script" not in (tmp_path / "r.html").read_text()


def test_the_page_says_where_it_comes_from(run, folder, tmp_path):
    written(run, folder, tmp_path / "new/folder/r.html")
    said = unescape((tmp_path / "new/folder/r.html").read_text())
    for part in ("Made 20", f"evaluate report {folder}", "casino-env 0", "rules 1", "cores"):
        assert part in said


# --- input: read whole, refused in a line, or skipped ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({}, "no such file or folder"),
        ({"x/nothing.csv": ""}, "nothing to report"),
        ({"x/notes.json": "hello"}, "not JSON: "),
        ({"x/notes.jsonl": "[]\nhello"}, "notes.jsonl: line 2: "),
        ({"x/deep.json": "[" * 100_000}, "deep.json: lists and objects are nested too deeply"),
        ({"x/nan.json": '{"a": NaN}'}, "nan.json: NaN is not a JSON number"),
        ({"x/other.json": '{"a": 1}'}, "nothing to report"),
        (
            {"x/progress.jsonl": '{"decision": 1}\n'},
            "progress.jsonl, line 1: decisions is missing (did you mean 'decision'?)",
        ),
        ({"x/progress.jsonl": '{"decisions": 1, "vs": {"a": 2}}\n'}, "progress.jsonl, line 1: vs.a"),
        ({"x/progress.jsonl": '{"decisions": 1}\n', "x/config.json": "{}"}, "config.json: config is missing"),
        ({"x/m.json": json.dumps(MATCH | {"diff": "much"})}, "m.json: diff = 'much'; it must be a number"),
        ({"x/m.json": json.dumps(MATCH | {"win_a": 2})}, "m.json: win_a = 2; it must be less than or equal to 1"),
        ({"x/m.json": json.dumps(MATCH | {"deals": 10**400})}, "m.json: deals = 1000"),
        ({"x/m.json": json.dumps({**MATCH, "low": [1]})}, "m.json: low = [1]; it must be a number"),
        (
            {"x/m.json": json.dumps({"vairant" if key == "variant" else key: MATCH[key] for key in MATCH})},
            "m.json: variant is missing (did you mean 'vairant'?)",
        ),
    ],
)
def test_what_cannot_be_read(run, tmp_path, files, said):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    code, _, err = run("report", tmp_path / "x", "--out", tmp_path / "r.html")
    assert code == 1 and said in err and err.count("\n") == 1 and not (tmp_path / "r.html").exists()


def test_a_tournament_without_deals(tmp_path):
    with Threads(1) as crew:
        play_tournament(tmp_path, TournamentSettings(agents=("nobody", "random"), deals=4, **SWAZI), crew)
    assert read_all([str(tmp_path)])["tournaments"][0]["ratings"] == []


def test_a_run_may_not_have_met_anybody_yet(tmp_path):
    (tmp_path / "run").mkdir()
    points: list[dict[str, Any]] = [{"decisions": 5, "vs": None}, {"decisions": 6, "vs": {"greedy": {"diff": 1}}}]
    write_journal(tmp_path / "run" / "progress.jsonl", points)
    assert charts(read_all([str(tmp_path)]))["run0"]
    (tmp_path / "run" / "progress.jsonl").write_text("")  # the run has just begun
    assert charts(read_all([str(tmp_path)])) == {"run0": [], "curves": [], "matches": []}


def test_what_is_always_zero_is_not_drawn(tmp_path):
    (tmp_path / "run").mkdir()
    points = [{"decisions": 5, "kl": 0.0, "entropy": 0.0}, {"decisions": 6, "kl": 0.0, "entropy": 1.0}]
    write_journal(tmp_path / "run" / "progress.jsonl", points)
    (chart,) = charts(read_all([str(tmp_path)]))["run0"]
    assert [axes.get_title("left") for axes in chart.figure.axes] == ["entropy"]


def test_other_switches_are_another_game(tmp_path):
    for number, rules in enumerate(({}, {"insist_capture": "never", "chain": "all"})):
        folder = RunFolder(tmp_path / f"x-seed{number}", "ppo", "swazi", seed=number, rules=rules)
        folder.log(5, vs={"greedy": SimpleNamespace(diff=1.0, low=0.0, high=2.0)})
    runs = read_all([str(tmp_path / "x-seed0"), str(tmp_path), str(tmp_path)])["runs"]  # each run counts once
    assert [run["about"].partition(";")[0] for run in runs] == [
        "swazi, 2 players, ppo, seed 0", "swazi, 2 players, chain=all, insist_capture=never, ppo, seed 1",
    ]  # fmt: skip
    (setting,) = settings_of(runs, "greedy")
    assert [*setting.tasks] == ["swazi 2", "swazi 2 chain=all insist_capture=never"]


def test_folders_that_lead_back_are_read_once(run, tmp_path):
    (tmp_path / "m.json").write_text(json.dumps(MATCH))
    (tmp_path / "loop").symlink_to(tmp_path)
    os.mkfifo(tmp_path / "pipe.json")
    assert run("report", tmp_path, "--out", tmp_path / "r.html")[0] == 0
    assert len(data_of(tmp_path / "r.html")["matches"]) == 1


def test_agents_of_a_tournament_run_no_code(run, tmp_path):
    code = f"os:system:command=touch {tmp_path}/trace"
    with Threads(1) as crew:
        play_tournament(tmp_path / "cup", TournamentSettings(agents=("random", "greedy"), deals=4, **SWAZI), crew)
    for table, column in (("tournament", "settings"), ("pairings", "a")):
        changed(tmp_path / "cup" / FILE, f"UPDATE {table} SET {column} = replace({column}, 'random', ?)", code)
    assert run("report", tmp_path / "cup", "--out", tmp_path / "r.html")[0] == 0
    assert code in {row["agent"] for row in data_of(tmp_path / "r.html")["tournaments"][0]["ratings"]}
    words = ("tournament", "greedy", "counter", "--variant", "swazi", "--deals", 4, "--out", tmp_path / "cup")
    returned, _, err = run(*words)
    assert returned in (1, 2) and "runs its own code" in err and err.count("\n") == 1
    assert not (tmp_path / "trace").exists()


# --- charts: every number is where its axis says, names are whole ----------------------------------------------------


def texts(figure):
    svg = ElementTree.fromstring(drawn(figure, "svg"))
    return ["".join(each.itertext()).strip() for each in svg.iter("{http://www.w3.org/2000/svg}text")]


def test_whiskers_are_the_intervals():
    rows: list[dict] = [{"mean": 1.0, "low": 0.5, "high": 1.5}, {"mean": 2.0, "low": None, "high": None}, {"mean": 3.0}]
    column = Column("x", "{:.1f}", rows)
    figure, wide = intervals(["a", "b", "c"], [column]), intervals(["a", "b", "c"], [column, column])
    assert figure.get_figwidth() < wide.get_figwidth() == intervals(["a" * 40, "b", "c"], [column]).get_figwidth()
    (axes,) = figure.axes
    (whisker,), (dots, zero) = axes.collections, axes.lines
    assert whisker.get_segments()[0].tolist() == [[0.5, 0], [1.5, 0]] and list(dots.get_xdata()) == [1.0, 2.0, 3.0]
    assert list(zero.get_xdata()) == [0, 0] and not any(line.get_visible() for line in axes.get_ygridlines())
    assert {"a", "b", "c", "x", "1.0", "2.0", "3.0"} <= set(texts(figure))


def test_curves_have_bands_where_there_are_intervals():
    points = [Point(1, 2.0, 1.0, 3.0), Point(2, 3.0, 2.5, 3.5), Point(3, 4.0)]
    series = [Curve("a", points), Curve("b", points[:1]), Curve("c", points[2:])]
    figure = curves([("", series)], "decisions", "points")
    (axes,) = figure.axes
    assert [list(line.get_xdata()) for line in axes.lines[:3]] == [[1, 2, 3], [1], [3]]
    band, whisker, nothing = axes.collections
    assert band.get_paths()[0].get_extents().extents.tolist() == [1, 1, 2, 3.5]
    assert whisker.get_segments()[0].tolist() == [[1, 1], [1, 3]] and nothing.get_segments() == []
    assert {"a", "b", "c", "decisions", "points"} <= set(texts(figure))


@pytest.mark.parametrize(
    ("most", "form", "log", "said"), [(1, "{:.0%}", "", "100%"), (20_000, "", "", "20k"), (100, "", "xy", "100")]
)
def test_axes_suit_their_numbers(most, form, log, said):
    panels = [("", [Curve("a", [Point(1, most / 2), Point(9, most)])])] * 4
    figure = curves(panels, "decisions", "points", form=form, log=log)
    assert said in texts(figure) and not re.search(r"\\|\^", "".join(texts(figure)))
    assert [axes.get_visible() for axes in figure.axes] == [True] * 4 + [False] * 2
    for axes in figure.axes[:4]:
        assert (axes.get_xscale(), axes.get_yscale()) == (("log",) * 2 if log else ("linear",) * 2)
        assert (axes.get_ylim()[0] <= 0) != bool(log)


def test_long_names_are_whole():
    names = [f"policy:south-african-2-{level}" for level in ("easy", "medium", "strong")]
    rows = [{"mean": 1.0, "low": 0.5, "high": 1.5}] * 3
    for columns in (1, 3):
        assert set(names) <= set(texts(intervals(names, [Column("x", "{:.2f}", rows)] * columns)))


def test_of_a_name_that_is_too_long_the_part_that_says_more_is_left():
    rows = [{"mean": 1.0}] * 2
    shown = texts(intervals(["x" * 3000, "/a" * 3000 + "/mine"], [Column("x", "{:.2f}", rows)]))
    assert any(text.startswith("xxx") and text.endswith("…") for text in shown)
    assert any(text.startswith("…") and text.endswith("/mine") for text in shown)


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_has_a_white_ground(form):
    data = drawn(intervals(["one"], [Column("x", "{:.1f}", [{"mean": 1.0}])]), form)
    if form == "png":
        image = Image.open(io.BytesIO(data)).convert("RGB")
        assert image.getpixel((0, 0)) == (255, 255, 255) and image.width == 1100
    if form == "svg":
        assert b"#ffffff" in data and b"#1c2127" in data


def test_a_chart_of_a_page_has_the_colours_of_the_page():
    text = inline(intervals(["one"], [Column("x", "{:.1f}", [{"mean": 1.0}])]))
    assert text.startswith("<svg") and "#ffffff" not in text and "#1c2127" not in text
    assert all(f"var(--{name})" in text for name in ("ink", "dim", "line", "bar"))


def test_other_formats_are_refused():
    with pytest.raises(ValueError, match="unknown chart format 'gif'; known: svg, png, pdf"):
        drawn(curves([("", [Curve("", [Point(0, 1)])])]), "gif")


@pytest.mark.slow
def test_a_page_is_made_where_letters_are_ascii(tmp_path):
    (tmp_path / "m.json").write_text(json.dumps(MATCH))
    environment = os.environ | {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    words = [sys.executable, "-m", "casino_env.evaluate", "report", "m.json"]
    done = subprocess.run(
        words, cwd=tmp_path, env=environment | {"PYTHONPATH": os.getcwd()}, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()
