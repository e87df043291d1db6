"""The report: everything that was given is on the page and in the files; nothing is loaded from elsewhere."""

import csv
import json
import re
import shutil
import subprocess
from xml.etree import ElementTree

import pytest

from casino_env.agents.files import write_journal
from casino_env.drawing.picture import picture
from casino_env.drawing.scene import make_scene
from casino_env.drawing.shapes import Poly, Rect
from casino_env.evaluate.matches.tournament import Settings, play_tournament
from casino_env.evaluate.matches.workers import Threads
from casino_env.evaluate.report.charts import charts
from casino_env.evaluate.report.film import Reel, film
from casino_env.evaluate.report.page import page
from casino_env.evaluate.report.read import KINDS
from casino_env.game import Game
from casino_env.record import write_record
from tests.random_play import every_game, random_moments
from tests.reporting import MATCH, command, data_of

AGENTS = ("random", "greedy", "counter")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A tournament with a failure, a run, and results of commands."""
    place = tmp_path_factory.mktemp("results")
    with Threads(1) as crew:
        play_tournament(place / "cup", Settings((*AGENTS, "tests.players:Illegal"), "swazi", 2, {}, 3, 12), crew)
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
    return place


def written(capsys, folder, out):
    results = {
        "style": ("style", "greedy", "--variant", "cassino", "--deals", 4),
        "regret": ("regret", "random", "--variant", "south-african", "--endings", 3, "--cards", 2),
        "match": ("match", "counter", "greedy", "--deals", 4),
        "exploit": ("exploit", "random", "--variant", "mini", "--deals", 2, "--worlds", 1, "--follow", "greedy"),
    }
    for name, words in results.items():
        if not (folder / f"{name}.json").exists():
            (folder / f"{name}.json").write_text(command(capsys, *words, "--json")[1])
    game = Game("khasino", 2, seed=4)
    while not game.over:
        game.apply(game.legal()[0])
    (folder / "own.txt").write_text(write_record(4, game))
    code, said, _ = command(capsys, "report", folder, "--out", out, "--style", 4, "--games", 2)
    assert code == 0 and said.startswith(f"{out}\n")
    return sorted(out.with_suffix("").iterdir())


def test_everything_is_there(capsys, folder, tmp_path):
    files = written(capsys, folder, tmp_path / "all.html")
    text = (tmp_path / "all.html").read_text()
    assert not re.findall(
        r"(?:src|href)=|https?://(?!www\.w3\.org/2000/svg)|@import|url\(", re.sub(r"href: `#", "", text)
    )
    data = data_of(text)
    assert [row["agent"] for row in data["tournaments"][0]["ratings"]] == ["counter", "greedy", "random"]
    assert "illegal action" in data["tournaments"][0]["failures"][0]
    assert [point["decisions"] for point in data["runs"][0]["points"]] == [1000, 2000, 3000, 4000, 5000]
    assert {row["agent"] for group in data["styles"] for row in group["rows"]} == {*AGENTS}
    assert len(data["matches"]) == len(data["regrets"]) == len(data["exploits"]) == 1
    assert [film["players"] for film in data["films"]] == [[], ["counter", "greedy"], ["counter", "random"]]
    assert all(row["frame"] for row in data["regrets"][0]["worst"])
    rows = {path.name: list(csv.DictReader(path.read_text().splitlines())) for path in files if path.suffix == ".csv"}
    counts = {name: len(found) for name, found in rows.items()}
    assert (counts["standings.csv"], counts["pairs.csv"], counts["progress.csv"], counts["styles.csv"]) == (3, 3, 5, 4)
    assert rows["progress.csv"][1]["vs: greedy: diff"] == "2" and rows["regrets.csv"][0]["lost a deal: mean"]
    assert json.loads((tmp_path / "all" / "report.json").read_text())["tournaments"] == data["tournaments"]


def test_a_chart_is_drawn_once(capsys, folder, tmp_path):
    """Those of the page are those of the files, and these need no style from elsewhere."""
    files = {
        path.stem: path.read_text() for path in written(capsys, folder, tmp_path / "x.html") if path.suffix == ".svg"
    }
    drawn = data_of((tmp_path / "x.html").read_text())["charts"]
    assert len(files) == sum(map(len, drawn.values())) > 20
    assert drawn["run0"][0]["title"] == "Strength: points a deal more than the opponent"
    marks = re.findall(r"<circle.*?<title>(.*?)</title>", drawn["run0minutes"][0]["svg"])
    assert marks == [f"against greedy {k} at {k / 30:.3g}" for k in range(1, 6)]
    for name, text in files.items():
        assert ElementTree.fromstring(text).tag == "{http://www.w3.org/2000/svg}svg", name
        assert "var(" not in text and text.count("<style>") == 1
    pictures = {path.stem for path in written(capsys, folder, tmp_path / "y.html") if path.suffix == ".png"}
    assert pictures == set(files)
    assert re.findall(r"<title>(.*?)</title>", files["exploits"]) and "nan" not in "".join(files.values())


def test_twice_the_same(capsys, folder, tmp_path):
    for name in ("a", "b"):
        written(capsys, folder, tmp_path / name / "page.html")
    (first, second) = (
        re.sub(r'"seconds":[\d.]+|Made [-\d: ]+', "", (tmp_path / name / "page.html").read_text()) for name in "ab"
    )
    assert first == second


def test_names_cannot_break_the_page(folder):
    report: dict[str, list] = {kind: [] for kind in (*KINDS, "games")} | {
        "notes": ["</script><script>alert(1)</script>"]
    }
    report["exploits"] = [{"agent": "</script><b>", "method": "exact", "variant": "mini", "exploited": {"mean": 1}}]
    text = page("<b>", report, {"films": [], "reel": {}, "regrets": []}, charts(report, []), ["<b>"])
    assert "<b>" not in text and text.count("<script") == 2
    assert data_of(text)["notes"] == report["notes"]


@pytest.mark.parametrize("rules", every_game()[::3], ids=str)
def test_frames_are_the_pictures(rules):
    """Read back from a reel the shapes are where picture.py put them."""
    reel = Reel()
    for game in random_moments(rules, 2, seed=3):
        frame, shapes = reel.frame(game), picture(make_scene(game))
        found = reel.to_json()
        assert len(frame) == len(shapes)
        for number, shape in zip(frame, shapes, strict=True):
            kind, *numbers = found["shapes"][number]
            if isinstance(shape, Rect):
                assert kind == "r" and numbers[:4] == pytest.approx([shape.x, shape.y, shape.w, shape.h], abs=0.06)
            elif isinstance(shape, Poly):
                outline, left, top, size, fill = numbers
                points = [tuple(map(float, pair.split(","))) for pair in found["outlines"][outline].split()]
                moved = [(left + size * x, top + size * y) for x, y in points]
                assert kind == "p" and fill == shape.fill
                assert moved == [pytest.approx(point, abs=0.2) for point in shape.points]
            else:
                assert kind == "t" and numbers[3:5] == [shape.text, shape.fill]


def test_a_film_shows_every_action():
    game = Game("swazi", 3, seed=2)
    while not game.over:
        game.apply(game.legal()[-1])
    found = film(Reel(), write_record(2, game), "a deal", ["a", "b", "c"])
    assert len(found["frames"]) == len(game.log) + 1
    assert len(found["turns"]) == sum(begins for *_, begins in game.log)
    assert [frame["seat"] for frame in found["frames"][:-1]] == [seat for seat, _, _ in game.log]
    assert found["scores"] == game.scores()


def test_wrong_calls(capsys, folder):
    assert "something.html" in command(capsys, "report", folder, "--out", "report")[2]
    assert "--style" in command(capsys, "report", folder, "--style", 1)[2]


def test_names_may_be_anything(capsys, tmp_path):
    """No drawing, page or table holds what it may not, whatever an agent is called."""
    name = "a\x00\x1b[31m\x0c\ufffe\ud800<&>'\"]]></svg><script>"
    (tmp_path / "m.json").write_text(json.dumps(MATCH | {"a": name, "b": "x" * 3000}))
    point = {"decisions": 5, "vs": {name: {"diff": 1}}, name: 3, "huge": 10**400}
    (tmp_path / "run").mkdir()
    write_journal(tmp_path / "run" / "progress.jsonl", [{"format": "x"}, point, point | {"decisions": 6}])
    code, _, err = command(capsys, "report", tmp_path, "--out", tmp_path / "r.html", "--title", name)
    assert (code, err) == (0, "")
    drawn = list((tmp_path / "r").glob("*.svg"))
    assert len(drawn) > 2
    for path in drawn:
        ElementTree.fromstring(path.read_text())
    assert "</svg><script>" not in (tmp_path / "r.html").read_text().replace(r"\u003c", "<")[:2000]


@pytest.mark.slow
def test_in_a_browser(capsys, folder, tmp_path):
    """Every section is drawn, without an error."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if not browser:
        pytest.skip("needs chromium")
    written(capsys, folder, tmp_path / "all.html")
    words = [
        browser,
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--enable-logging=stderr",
        "--virtual-time-budget=4000",
    ]
    done = subprocess.run(
        [*words, "--dump-dom", f"file://{tmp_path}/all.html"], capture_output=True, text=True, timeout=120
    )
    assert "CONSOLE" not in done.stderr
    sections = re.findall(r'<section id="(\w+)">', done.stdout)
    assert sections == ["tournament0", "run0", "matches", "exploits", "regret", "style0", "style1", "games"]
    assert done.stdout.count("<svg") > 25 and "[object" not in done.stdout


def test_the_page_says_where_it_comes_from_and_what_came_out(capsys, folder, tmp_path):
    written(capsys, folder, tmp_path / "r.html")
    data = data_of((tmp_path / "r.html").read_text())
    told = " ".join(data["about"])
    for part in ("Made 20", f"evaluate report {folder} --style 4 --games 2", "casino-env 0", "rules 1", "cores"):
        assert part in told
    said = " ".join(data["said"])
    assert re.search(r"cup: counter (beats|and) greedy", said)
    assert "run: after 5,000 decisions and 0.2 minutes it is 5.00 points a deal ahead of greedy" in said
    assert "after 1,000 it was 1.00 points a deal ahead of greedy" in said
    assert "Who knows random wins at least" in said
