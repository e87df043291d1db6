"""The plain table in the terminal: whole deals by typed lines, what it lists and undoes, what it hides and refuses."""

import io
import itertools
import json
import random
import re
from collections.abc import Callable

import numpy as np
import pytest

from casino_env.actions import END
from casino_env.game import Game
from casino_env.observed import observe, seat_turns
from casino_env.play.cli import LEVELS, levels, main
from casino_env.play.terminal import Terminal
from casino_env.play.words import card_letters, done_words, in_words, say
from casino_env.presets import PRESETS
from casino_env.record import replay, write_record
from casino_env.rules import make_rules, player_counts
from casino_env.text.rules_text import rules_text
from tests import fake_model
from tests.hidden import twin_of
from tests.situations import PICK, STEAL

HEIGHT, WIDTH = 24, 80  # the default size of a terminal


def table_of(game: Game, agent: str = "greedy", seat: int = 0) -> Terminal:
    return Terminal(game, seat, {other: agent for other in range(game.rules.players) if other != seat}, 1)


def position(data: dict) -> Game:
    return Game.from_json(data, skip_forced=False)


def answering(monkeypatch, choose: Callable[[], str]) -> list[str]:
    """Answer each prompt with choose(); return the list of prompts."""
    asked: list[str] = []

    def answer(prompt: str) -> str:
        asked.append(prompt)
        return choose()

    monkeypatch.setattr("builtins.input", answer)
    return asked


@pytest.mark.parametrize("variant", PRESETS)
def test_whole_deals_fit_a_small_terminal_and_leave_their_record(variant, monkeypatch, capsys):
    for players in player_counts(variant):
        game = Game(variant, players, seed=3, match=variant == "mini", skip_forced=False)
        table, rng, undone = table_of(game, seat=players - 1), random.Random(1), 0

        def choose(table=table, rng=rng) -> str:
            nonlocal undone
            if table.marks and rng.random() < 0.1:
                undone += 1
                return "undo"
            return "" if END in table.game.legal() else str(rng.randint(1, len(table.turns)))

        answering(monkeypatch, choose)
        table.play()
        assert undone or variant.startswith("mini")
        again = replay(write_record(3, table.game))
        assert again.over and again == table.game
        lines = capsys.readouterr().out.split("\n")
        assert max(map(len, lines)) < WIDTH
        begins = [n for n, line in enumerate(lines) if line == "" or re.match(r"(You|Grabber[ \d]*) \w", line)]
        screens = [end - begin for begin, end in itertools.pairwise(begins) if lines[begin] == ""]
        assert max(screens) <= HEIGHT  # with the prompt and its answer


@pytest.mark.parametrize("variant", ["khasino", "swazi", "african", "sotho", "cassino", "draw", "stealing-bundles"])
def test_nothing_on_the_screen_depends_on_hidden_cards(variant, capsys):
    rng, shown = np.random.default_rng(2), 0
    for players in player_counts(variant)[:2]:
        game = Game(variant, players, seed=5, skip_forced=False)
        while not game.over:
            texts = []
            for one in (game, twin_of(game, game.seat, rng, skip_forced=False)):
                table = table_of(one, seat=one.seat)
                table.turns = seat_turns(one)
                table._table()
                texts.append((capsys.readouterr().out, table.turns))
            assert texts[0] == texts[1]
            shown += len(texts[0][1])
            game.apply(int(rng.choice(game.legal())))
    assert shown > 300


def test_lines_make_moves(casino, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # the record is written there
    path = tmp_path / "pick.json"
    path.write_text(json.dumps(PICK))
    lines = ["4s 5d", "9H", "1", "u", "build 9; card 5D; card 4S", "legal", "hint", "?", "quit"]
    done = casino("play", "--position", path, given="\n".join(lines) + "\n")
    assert done.code == 0 and done.err == ""
    assert "build 9: 5D* + 4S" in done.out and "no turns with these" in done.out
    assert done.out.count("your hand: 5D 9C") == 2  # at the start, and after the undo
    assert "You add to" not in done.out and re.search(r"   1 end the turn: [+-]\d", done.out)
    assert "Position" not in done.out and "the game is kept" in done.out


def test_what_has_been_seen_is_not_taken_back(monkeypatch, capsys):
    """Where a pile gives its top to a build, the card below is seen: the turn stops there and cannot be undone."""
    rng, tried = np.random.default_rng(1), 0
    for seed in range(8):
        game = Game("african", 2, seed=seed, skip_forced=False)
        while not game.over:
            for number, turn in enumerate(seat_turns(game), 1):
                if turn.text.endswith("...") and tried < 20:
                    table = table_of(game.clone(), seat=game.seat)
                    lines = iter([str(number), "undo", "quit"])
                    answering(monkeypatch, lines.__next__)
                    with pytest.raises(KeyboardInterrupt):
                        table.play()
                    said = capsys.readouterr().out
                    assert "nothing to undo" in said
                    done = [action for _, action, _ in table.game.log[len(game.log) :]]
                    assert done[: len(turn.actions)] == turn.actions
                    tried += 1
            game.apply(int(rng.choice(game.legal())))
    assert tried > 5


def test_what_is_left_at_the_end_is_no_part_of_a_turn():
    data = {"variant": "khasino", "players": 2, "hands": [["9D"], []], "layout": ["4S"], "last_capture": 0, "round": 2}
    assert [turn.text for turn in seat_turns(position(data))] == ["discard 9D*"]
    assert Game.from_json(data).turns()[0]["text"] == "discard 9D*"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("99", "turns are 1 to"),
        ("0", "turns are 1 to"),
        ("9" * 5000, "turns are 1 to"),
        ("", "end is illegal for seat 0; legal: "),
        ("end", "end is illegal for seat 0; legal: "),
        ("build 9; card KC", "card KC is illegal for seat 0; legal: "),
        ("discard KC; end; end", "your turn is over, or another seat decides"),
        ("build x", "'build x' is not an action"),
        ("hnit", "unknown command 'hnit' (did you mean 'hint'?)"),
        ("9S hint", "unknown command '9S'"),
        ("save", "save FILE"),
        ("save /dev/null/x", "/dev/null"),
        ("²", "unknown command"),
        ("\x00\x1b[2J", "unknown command '\\x00\\x1b[2J'"),
    ],
)
def test_wrong_lines_are_answered_in_one(line, said, monkeypatch, capsys):
    lines = iter([line, "q"])
    answering(monkeypatch, lines.__next__)
    with pytest.raises(KeyboardInterrupt):
        table_of(position(STEAL)).play()
    assert said in " ".join(capsys.readouterr().out.split())


WRONG = [
    (("--variant", "swasi"), 2, "did you mean 'swazi'?"),
    (("--players", "7"), 2, "not 7"),
    (("--seat", "2"), 2, "--seat 2: seats are 0 to 1"),
    (("--seed", "-1"), 2, "--seed = -1"),
    (("--set", "steal"), 2, "SWITCH=VALUE"),
    (("--variant", "cassino", "--set", "sweeps=maybe"), 2, "it must be true or false"),
    (("--opponents", "counter", "greedy"), 2, "--opponents: 2 given, but there are 1 other seats"),
    (("--opponents", "contour"), 2, "did you mean 'counter'?"),
    (("--opponents", "policy:swazi-2"), 1, "plays swazi with 2 players, not south-african with 2"),
    (("--position", "nowhere.json"), 1, "nowhere.json"),
    (("--position", "nowhere.json", "--seed", "4"), 2, "--seed: the position gives it"),
    (("--resume", "nowhere.record", "--position", "nowhere.json"), 2, "--position: the record gives it"),
    (("--resume", "nowhere.record"), 1, "nowhere.record: no such file or folder"),
    (("--resume", "-"), 2, "--resume -: standard input is for your moves; give a file"),
    (("--position", "-"), 2, "--position -: standard input is for your moves; give a file"),
    ((), 1, "the input ended before the game was over"),
]


@pytest.mark.parametrize(("words", "code", "said"), WRONG)
def test_wrong_flags_are_refused_in_a_line(words, code, said, casino, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = casino("play", *words)
    assert done.code == code and done.err.count("\n") == 1
    assert done.err.startswith("play: ") and said in done.err


def test_a_match_of_changed_rules_by_flags(casino, tmp_path):
    path = tmp_path / "folder/game.record"
    words = ["--variant", "mini", "--players", "2", "--set", "steal=no", "--match", "--seed", "9", "--seat", "1"]
    done = casino("play", *words, "--opponents", "easy", "--record", path, given="1\n\n" * 200)
    assert done.code == 0, done.err
    assert "Points of the match by side" in done.out and f"The record is in {path}" in done.out
    game = replay(path.read_text())
    assert game.over and game.record["match"] and game.rules.steal == "no"


def test_a_game_is_left_and_gone_on_with(casino, tmp_path):
    path, kept = tmp_path / "a game.record", tmp_path / "saved.record"
    words = ["--variant", "mini", "--seed", "9", "--opponents", "easy"]
    left = casino("play", *words, "--record", path, given=f"1\nsave {kept}\nq\n")
    assert left.code == 0 and kept.read_text() == path.read_text()
    assert f"casino play --resume '{path}' --opponents easy" in left.out
    again = casino("play", "--resume", path, "--opponents", "easy", given="1\n\n" * 20)
    assert again.code == 0 and again.err == "" and f"The record is in {path}" in again.out
    game, begun = replay(path.read_text()), replay(kept.read_text())
    assert game.over and game.log[: len(begun.log)] == begun.log
    assert casino("play", "--resume", path).err == f"play: {path}: this game is over\n"


def test_where_no_more_lines_come_the_game_is_kept(casino, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for _ in range(2):  # even games that begin in the same second have separate records
        done = casino("play", "--variant", "mini", "--seed", "9", given="1\n")
        assert done.code == 1 and "To go on: casino play --resume runs/play/mini-" in done.out
    assert len([*(tmp_path / "runs/play").iterdir()]) == 2


def test_a_record_that_cannot_be_written_is_refused_before_the_game(casino, tmp_path, monkeypatch):
    """Both the one that is made up and the one that is resumed."""
    monkeypatch.chdir(tmp_path)
    words = ("play", "--variant", "mini", "--seed", "9")
    assert casino(*words, "--record", "kept/a.record", given="1\n").code == 1
    (tmp_path / "runs").touch()
    refused = casino(*words, given="1\n")
    assert (refused.code, refused.out) == (2, "") and refused.err.startswith("play: 'runs/play/mini-")
    assert refused.err.endswith("'runs' is not a writable folder; name another file by --record\n")
    monkeypatch.setattr("os.access", lambda path, _: str(path) != "kept")  # as root may write everywhere
    refused = casino("play", "--resume", "kept/a.record", given="1\n")
    assert (refused.code, refused.out) == (2, "") and "'kept/a.record' cannot be written" in refused.err
    assert casino("play", "--resume", "kept/a.record", "--record", "b.record", given="1\n").code == 1


def test_letters_of_another_encoding_do_not_end_the_game(capsys, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"\xff\n1\nq\n"), "utf-8"))
    assert main(["--variant", "mini", "--seed", "9", "--record", str(tmp_path / "a.record")]) == 0
    said = capsys.readouterr().out
    assert "unknown command" in said and "To go on" in said


def test_a_model_at_the_table(casino, tmp_path):
    """The table shows the model by its own name. If its endpoint fails, the game can be resumed."""
    kept = tmp_path / "a.record"
    with fake_model.answering(fake_model.any_turn()) as server:
        url = f"llm:http://127.0.0.1:{server.server_port}/v1,model=fake,listed=yes,retries=0"
        words = ["play", "--variant", "mini", "--seed", "9", "--seat", "1", "--opponents", url, "--record", kept]
        done = casino(*words, given="1\n\n" * 20)
    assert done.code == 0 and "  fake: hand 2" in done.out and server.asked
    broken = casino(*words, given="1\n\n" * 20)
    assert broken.code != 0 and f"casino play --resume {kept} --opponents {url} --seat 1" in broken.out
    assert "the endpoint 127.0.0.1" in broken.err and len(broken.err.splitlines()) == 1


def test_the_rules_of_the_game_are_told(monkeypatch, capsys):
    answering(monkeypatch, iter(["rules", "more", "more", "more", "quit"]).__next__)
    with pytest.raises(KeyboardInterrupt):
        table_of(Game("swazi", 2, seed=1, skip_forced=False)).play()
    said = " ".join(capsys.readouterr().out.split())
    for sentence in itertools.chain(*rules_text(make_rules("swazi", 2)).values()):
        assert sentence in said


SAID = [
    ("discard 2S*; end", "lay down 2S; end the turn"),
    (
        "capture with AH* as 14; taking the 14-build, 5D, 9S (pile 1)",
        "take the build of 14, 5D, 9S of Ann with AH as 14",
    ),
    ("build 12 = QD; add to 12 = QH*", "build 12: QD and QH*"),
    ("add to 9 = 5D + 4S (pile 0)", "add to the build of 9: 5D + your 4S"),
    ("raise the 5; to 9; build 9 = 4S*", "raise the build of 5 to 9: 4S*"),
    ("the deal is over: seats 0 and 1 win", "the deal is over: you and Ann win"),
    ("the deal is over: seat 0 wins", "the deal is over: you win"),
    ("  9-build of Ann: 5D 4S | 9H", "  build of 9 by Ann: 5D 4S | 9H"),
    ("build 9; card 5D", "build 9; card 5D"),
]


@pytest.mark.parametrize(("notation", "words"), SAID)
def test_people_read_words(notation, words):
    assert in_words(notation, ["you", "Ann"]) == words


def test_who_has_done_it():
    names = ["you", "Ann"]
    assert done_words("discard 2S*; end", 0, names, own=True) == "You lay down 2S; end the turn"
    assert done_words("raise the 5; to 9; build 9 = 4S*; end", 1, names, own=False) == (
        "Ann raises the build of 5 to 9: 4S*; ends the turn"
    )
    assert done_words("no", 1, names, own=False) == "Ann: no"


class Screen(io.StringIO):
    encoding = "utf-8"

    def isatty(self):
        return True


def test_suits_and_colours_where_they_can_be_shown(monkeypatch, capsys):
    def shown(screen):
        monkeypatch.setattr("sys.stdout", screen)
        say("take TH, 2S and 9D with QC")
        return screen.getvalue()

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    red = "\033[31m"
    assert shown(Screen()) == f"take {red}10♥\033[0m, 2♠ and {red}9♦\033[0m with Q♣\n"
    monkeypatch.setattr(Screen, "encoding", "cp1252")
    assert shown(Screen()) == f"take {red}TH\033[0m, 2S and {red}9D\033[0m with QC\n"
    monkeypatch.setenv("NO_COLOR", "1")
    assert shown(Screen()) == "take TH, 2S and 9D with QC\n"
    assert [card_letters(word) for word in ("10♥", "10h", "th", "9♠")] == ["TH", "TH", "TH", "9S"]


def test_agents_are_shown_how_the_game_goes(monkeypatch):
    """Show each decision of the others once, as the agent's seat sees it, and none that was undone."""
    table, seen = table_of(Game("swazi", 3, seed=7, skip_forced=False)), list[bytes]()
    greedy, rng = table.agents[1], random.Random(2)

    class Watching:
        act, reset = greedy.act, greedy.reset

        def watch(self, observation):
            seen.append(observation.view.tobytes())

    table.agents[1] = Watching()

    def choose() -> str:
        if table.marks and rng.random() < 0.3:
            return "undo"
        return "" if END in table.game.legal() else str(rng.randint(1, len(table.turns)))

    answering(monkeypatch, choose)
    table.play()
    then, expected = Game("swazi", 3, seed=7, skip_forced=False), []
    for seat, action, _ in table.game.log:
        if seat != 1:
            expected.append(observe(then, 1).view.tobytes())
        then.apply(action)
    assert seen == expected


def test_bots_stand_where_no_policy_has_learnt_so_much(monkeypatch):
    assert levels(make_rules("swazi", 2))[2] == "policy:swazi-2,think=5"
    rules = make_rules("khasino", 4)
    monkeypatch.setattr("casino_env.play.cli._learners", dict)
    assert levels(rules) == ["greedy", "builder", "partner", "strongest:time=2"]
    monkeypatch.setattr("casino_env.play.cli._learners", lambda: {rules: ["policy:x"]})
    assert levels(rules) == ["builder", "partner", "policy:x,think=5", "strongest:time=2"]
    assert all(len(set(levels(make_rules(name, n)))) == len(LEVELS) for name in PRESETS for n in player_counts(name))


def test_it_sits_down_in_every_game_without_the_extras(casino, monkeypatch):
    monkeypatch.setattr("casino_env.agents.policy.shipped.find_spec", lambda _: None)
    for variant in PRESETS:
        done = casino("play", "--variant", variant, "--opponents", "strong", given="q\n")
        assert done.code == 0 and "your hand" in done.out, done.err
