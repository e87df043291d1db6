"""The report: everything that was given is on the page and in the files; nothing is loaded from elsewhere."""

import csv
import json
import re
import shutil
import subprocess
from html import unescape
from xml.etree import ElementTree

import pytest

from casino_env.agents.files import write_journal
from casino_env.evaluate.matches.tournament import TournamentSettings, play_tournament
from casino_env.evaluate.matches.workers import Threads
from casino_env.evaluate.report.charts import charts
from casino_env.evaluate.report.contents import KINDS
from casino_env.evaluate.report.page import page
from casino_env.evaluate.results import as_json
from tests.reporting import MATCH, command, data_of

AGENTS = ("random", "greedy", "counter")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tournament with a failure, a run, and results of commands."""
    place = tmp_path_factory.mktemp("results")
    cup = TournamentSettings(
        agents=(*AGENTS, "tests.players:Illegal"), variant="swazi", players=2, rules={}, seed=3, deals=12
    )
    with Threads(1) as crew:
        play_tournament(place / "cup", cup, crew)
    (place / "run").mkdir()
    lines = [
        {
            "decisions": 1000 * k,
            "seconds": 2.0 * k,
            "entropy": 1 / k,
            "vs": {"greedy": {"diff": k, "low": k - 1, "high": k + 1}},
        }
        for k in range(1, 6)
    ]
    write_journal(place / "run" / "progress.jsonl", [{"format": "casino-progress 1"}, *lines])
    with (place / "run" / "progress.jsonl").open("a") as file:
        file.write('{"decisions": 6')  # cut off by a kill
    won = {"mean": 3.5, "low": 1.0, "high": 6.0}
    exploit = {"agent": "random", "method": "search", "variant": "mini", "players": 2, "exploited": won}
    (place / "exploit.json").write_text(as_json(exploit))
    return place


def written(capsys, folder, out, *words):
    results = {
        "style": ("style", "greedy", "--variant", "cassino", "--deals", 4),
        "regret": ("regret", "random", "--variant", "south-african", "--endings", 3, "--cards", 2),
        "match": ("match", "counter", "greedy", "--deals", 4),
    }
    for name, asked in results.items():
        if not (folder / f"{name}.json").exists():
            (folder / f"{name}.json").write_text(command(capsys, *asked, "--json")[1])
    code, said, _ = command(capsys, "report", folder, "--out", out, "--style", 4, *words)
    assert code == 0 and said.startswith(f"{out}\n")
    return sorted(out.with_suffix("").iterdir())


def test_everything_is_there(capsys, folder, tmp_path):
    files = written(capsys, folder, tmp_path / "all.html")
    text = (tmp_path / "all.html").read_text()
    assert not re.findall(r"<script|(?:src|href)=\"(?!#)|https?://(?!www\.w3\.org/)|@import|url\((?!#)", text)
    data = data_of(tmp_path / "all.html")
    assert [row["agent"] for row in data["tournaments"][0]["ratings"]] == ["counter", "greedy", "random"]
    assert "illegal action" in data["tournaments"][0]["failures"][0] in unescape(text)
    assert [point["decisions"] for point in data["runs"][0]["points"]] == [1000, 2000, 3000, 4000, 5000]
    assert {row["agent"] for row in data["styles"]} == {*AGENTS}
    assert len(data["matches"]) == len(data["regrets"]) == len(data["exploits"]) == 1
    sections = re.findall(r'<section id="(\w+)">', text)
    assert sections == ["tournament0", "run0", "matches", "exploits", "regret", "style0", "style1"]
    worst = min(4, len(data["regrets"][0]["worst"]))
    assert worst and text.count('class="card half position"') == text.count('viewBox="0 0 1000 700"') == worst
    rating = data["tournaments"][0]["ratings"][0]
    assert f"<td>counter</td><td>{rating['elo']:+.0f}</td>" in text
    rows = {path.name: list(csv.DictReader(path.read_text().splitlines())) for path in files if path.suffix == ".csv"}
    counts = {name: len(found) for name, found in rows.items()}
    assert (counts["standings.csv"], counts["pairs.csv"], counts["progress.csv"], counts["styles.csv"]) == (3, 3, 5, 4)
    assert rows["progress.csv"][1]["vs: greedy: diff"] == "2" and rows["regrets.csv"][0]["lost a deal: mean"]


def test_charts_are_on_the_page_and_in_files(capsys, folder, tmp_path):
    """A file of every chart in every format that is asked for; it needs no style from elsewhere."""
    files = written(capsys, folder, tmp_path / "x.html", "--charts", "svg", "png", "pdf")
    drawn = {form: {path.stem: path for path in files if path.suffix == f".{form}"} for form in ("svg", "png", "pdf")}
    assert set(drawn["svg"]) == set(drawn["png"]) == set(drawn["pdf"]) and len(drawn["svg"]) > 12
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


def test_twice_the_same(capsys, folder, tmp_path):
    for name in ("a", "b"):
        written(capsys, folder, tmp_path / name / "page.html", "--charts", "svg", "png", "pdf")
    (first, second) = (re.sub(r"Made [-\d: ]+", "", (tmp_path / name / "page.html").read_text()) for name in "ab")
    assert first == second
    for path in (tmp_path / "a" / "page").iterdir():
        if path.suffix in (".svg", ".png", ".pdf"):
            assert path.read_bytes() == (tmp_path / "b" / "page" / path.name).read_bytes(), path.name


def test_names_cannot_break_the_page():
    report: dict[str, list] = {kind: [] for kind in KINDS} | {"notes": ["</script><script>alert(1)</script>"]}
    report["exploits"] = [{"agent": "</script><b>", "method": "exact", "variant": "mini", "exploited": {"mean": 1}}]
    text = page("<b>", report, charts(report), ["<b>"])
    assert "<b>" not in text and "<script" not in text and "</script" not in text
    assert report["notes"][0] in unescape(text) and text.count("&lt;/script&gt;&lt;b&gt;") >= 2


def test_wrong_calls(capsys, folder):
    assert "something.html" in command(capsys, "report", folder, "--out", "report")[2]
    assert "--style" in command(capsys, "report", folder, "--style", 1)[2]
    with pytest.raises(SystemExit, match="2"):
        command(capsys, "report", folder, "--charts", "gif")


def test_names_may_be_anything(capsys, tmp_path):
    """No drawing, page or table holds what it may not, whatever an agent is called."""
    name = "a\x00\x1b[31m\x0c\ufffe\ud800<&>'\"]]></svg><script>$x$"
    (tmp_path / "m.json").write_text(json.dumps(MATCH | {"a": name, "b": "x" * 3000}))
    point = {"decisions": 5, "vs": {name: {"diff": 1}}, name: 3, "huge": 10**400}
    (tmp_path / "run").mkdir()
    write_journal(tmp_path / "run" / "progress.jsonl", [{"format": "x"}, point, point | {"decisions": 6}])
    words = ("--out", tmp_path / "r.html", "--title", name, "--charts", "svg", "png")
    code, _, err = command(capsys, "report", tmp_path, *words)
    assert (code, err) == (0, "")
    drawn = list((tmp_path / "r").glob("*.svg"))
    assert len(drawn) > 2
    for path in drawn:
        ElementTree.fromstring(path.read_text())
    assert "<script" not in (tmp_path / "r.html").read_text()


@pytest.mark.slow
def test_in_a_browser(capsys, folder, tmp_path):
    """Every section is drawn, without an error."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if not browser:
        pytest.skip("needs chromium")
    written(capsys, folder, tmp_path / "all.html")
    words = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr"]
    done = subprocess.run(
        [*words, "--dump-dom", f"file://{tmp_path}/all.html"], capture_output=True, text=True, timeout=120
    )
    assert "CONSOLE" not in done.stderr
    sections = re.findall(r'<section id="(\w+)">', done.stdout)
    assert sections == ["tournament0", "run0", "matches", "exploits", "regret", "style0", "style1"]
    assert done.stdout.count("<svg") > 12


def test_the_page_says_where_it_comes_from_and_what_came_out(capsys, folder, tmp_path):
    written(capsys, folder, tmp_path / "r.html")
    said = unescape((tmp_path / "r.html").read_text())
    for part in ("Made 20", f"evaluate report {folder} --style 4", "casino-env 0", "rules 1", "cores"):
        assert part in said
    assert re.search(r"cup: counter (beats|and) greedy", said)
    assert "run: after 5,000 decisions and 0.2 minutes it is 5.00 points a deal ahead of greedy" in said
    assert "after 1,000 it was 1.00 points a deal ahead of greedy" in said
    assert "Who knows random wins at least" in said
