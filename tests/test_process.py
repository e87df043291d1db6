"""Programs as agents: what they are asked, what counts as an answer, who is blamed, and that they end with us."""

import copy
import json
import shlex
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

from casino_env import Game, observe
from casino_env.agents.protocol.session import Session
from casino_env.agents.registry import AgentError, make_agent, spec_from_file
from casino_env.evaluate import match
from casino_env.evaluate.matches.tournament import load_tournament
from casino_env.views import view_of
from tests.players import seated
from tests.refusals import refused

ROOT = Path(__file__).parent.parent
PYTHON = shlex.quote(sys.executable)


def spec(how, *more, parameters="seconds=2,restarts=0,"):
    return f"process:{parameters}{PYTHON} {ROOT / 'tests/foreign.py'} {shlex.join([how, *more])}"


def running(agent):
    return Path(f"/proc/{agent._program._child.pid}").exists()


def test_it_plays_a_legal_action_and_keeps_running():
    agent, game = seated(spec("plays")), Game("swazi", 2, seed=1)
    while not game.over:
        game.apply(agent.act(observe(game)))
        pid = agent._program._child.pid
    assert running(agent)
    agent._end()
    assert not Path(f"/proc/{pid}").exists()


def test_what_it_is_asked(tmp_path):
    """The program gets the view of its seat, and nothing that the seat may not know."""
    (tmp_path / "bot.py").write_text(
        "import json, sys\nline = sys.stdin.readline()\nopen(sys.argv[1], 'w').write(line)\n"
        "print(json.dumps({'action': json.loads(line)['legal'][-1]}), flush=True)\nsys.stdin.read()\n"
    )
    game = Game("swazi", 3, seed=4)
    action = seated(f"process:{PYTHON} {tmp_path / 'bot.py'} {tmp_path / 'asked'}").act(observe(game))
    asked = json.loads((tmp_path / "asked").read_text())
    assert set(asked) == {"do", "view", "legal", "seed"} and action == game.legal()[-1]
    assert asked["view"] == view_of(game, game.seat)
    assert Session("greedy").reply(asked)["ok"]  # our own engine understands the question


def test_our_own_engine_is_such_a_program():
    engine, game = seated(f"process:{PYTHON} -m agents serve --agent counter"), Game("khasino", 2, seed=2)
    ours = seated("counter")
    while not game.over:
        legal = game.legal()
        chosen = engine.act(observe(game))
        assert chosen in legal and ours.probabilities(observe(game))[chosen] > 0
        game.apply(chosen)


FAULTS = {
    "crashes": "it ended with code 1, saying 'ZeroDivisionError: lost my notes'",
    "dies": "it ended with code 3",
    "hangs": "no answer within 2 s",
    "floods": "answer is longer than 1,048,576 bytes",
    "garbage": "not JSON",
    "list": "its answer is [], not a JSON object",
    "cheats": "illegal action 'capture AS of the stock'",
    "twice": "its answer has more than one line",
    "refuses": "it refused: 'no such variant'",
}


@pytest.mark.parametrize("how", FAULTS)
def test_every_fault_is_told_in_one_line(how):
    agent, game = seated(spec(how)), Game("mini", 2, seed=1)
    with refused(FAULTS[how], AgentError):
        while not game.over:
            game.apply(agent.act(observe(game)))
    assert agent._program is None


def test_a_single_fault_is_forgiven(tmp_path):
    """It is restarted and asked again. Each deal forgives one fault."""
    agent, game = seated(spec("once", str(tmp_path / "a"), parameters="")), Game("mini", 2, seed=1)
    assert agent.act(observe(game)) == game.legal()[0] and agent._faults == 1
    (tmp_path / "a").unlink()
    agent._end()
    with refused("it ended with code 1; fault 2 of the deal", AgentError):
        agent.act(observe(game))
    agent.reset(0, np.random.default_rng(1))
    (tmp_path / "a").unlink(missing_ok=True)
    assert agent.act(observe(game)) == game.legal()[0]


def test_copies_have_programs_of_their_own():
    agent, game = seated(spec("plays")), Game("mini", 2, seed=1)
    agent.act(observe(game))
    other = copy.deepcopy(agent)
    other.reset(1, np.random.default_rng(1))
    other.act(observe(game))
    assert other._program._child.pid != agent._program._child.pid
    del other
    assert running(agent)


def test_a_match_in_this_process():
    assert match(make_agent(spec("plays")), "tests.players:Lowest", "mini", deals=5).diff == 0.0


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("process:", "process: no command; write process:COMMAND"),
        ("process", "process: no command"),
        ("process:seconds=1,", "process: no command"),
        ("process:no-such-program --here", "program not found: 'no-such-program'"),
        ("process:'open", "No closing quotation"),
        ("process:seconds=0,true", "seconds = 0.0; it must be a number above 0"),
        ("process:seconds=soon,true", "seconds = 'soon'; it must be a finite number"),
        ("process:restarts=-1,true", "restarts = -1"),
    ],
)
def test_wrong_specs(name, said):
    with refused(said, AgentError):
        make_agent(name)


def test_no_file_and_no_request_starts_a_program(tmp_path):
    name = f"process:touch {tmp_path / 'started'}"
    for inner in (name, f"solved:{name}", f"solved:agent={name}"):
        with refused("", AgentError):
            spec_from_file(inner, "saved.json")
        reply = Session("greedy").reply({"do": "move", "position": Game("mini", 2).to_json(), "agent": inner})
        assert reply["error"] == "agent"
    assert not (tmp_path / "started").exists()


@pytest.mark.slow
def test_a_tournament_of_rogues_leaves_the_others_unharmed(casino, tmp_path):
    rogues = {spec(how): how for how in FAULTS}
    words = ["greedy", *rogues, spec("plays"), "random", "--variant", "mini", "--deals", 4, "--threads", 1]
    code, out, err = casino("evaluate", "tournament", *words, "--out", tmp_path / "cup")
    assert code == 1
    lines = [line.removeprefix("evaluate: ") for line in err.splitlines()]
    assert len(lines) == len(rogues)
    for name, how in rogues.items():
        assert sum(line.startswith(f"{name}: ") and FAULTS[how] in line for line in lines) == 1, how
    played = {pair: len(deals) for pair, deals in load_tournament(tmp_path / "cup").deals.items()}
    good = ("greedy", spec("plays"), "random")
    assert all(played[a, b] == 4 for a, b in ((good[0], good[1]), (good[0], good[2]), (good[1], good[2])))
    assert "greedy" in out


@pytest.mark.slow
def test_a_program_ends_with_the_match_that_asked_it():
    """A match that is killed together with its workers cannot end anything itself."""
    name = spec("hangs", parameters="seconds=50,restarts=0,")
    words = ("evaluate", "match", name, "random", "--variant", "mini", "--deals", "2", "--threads", "1")
    match = subprocess.Popen([sys.executable, "-m", "casino_env", *words], stderr=subprocess.DEVNULL)
    wait_for(lambda: _with("foreign.py\0hangs"), 60)
    match.kill()
    match.wait()
    wait_for(lambda: not _with("foreign.py\0hangs"), 5)


def test_a_program_outlives_the_thread_that_asked_first():
    agent, game = seated(spec("plays", parameters="restarts=0,")), Game("mini", 2, seed=1)
    for _ in range(2):
        thread = threading.Thread(target=lambda: game.apply(agent.act(observe(game))))
        thread.start()
        thread.join()
        time.sleep(0.1)
        assert running(agent)


@pytest.mark.slow
def test_what_a_program_has_started_ends_with_it(tmp_path):
    """This holds even if our process is killed and cannot end anything itself."""
    bot = tmp_path / "bot.py"
    bot.write_text(
        "import subprocess, sys, time\nsubprocess.Popen(['sleep', '98765'])\nprint(1, flush=True)\ntime.sleep(99)\n"
    )
    lines = f"from casino_env.machine import Child\nimport time\nChild([{PYTHON!r}, {str(bot)!r}]).stdout.read(1)\n"
    ours = subprocess.Popen(
        [sys.executable, "-c", f"{lines}print(2, flush=True)\ntime.sleep(99)"], stdout=subprocess.PIPE
    )
    assert ours.stdout and ours.stdout.read(1) == b"2"
    wait_for(lambda: _with("sleep\x0098765"), 5)
    ours.kill()
    ours.wait()
    wait_for(lambda: not _with("sleep\x0098765"), 5)


def wait_for(seen, seconds):
    until = time.monotonic() + seconds
    while not seen() and time.monotonic() < until:
        time.sleep(0.1)
    assert seen()


def _with(words):
    """Return the processes whose command line contains these words."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [path] if words in path.read_text() else []
        except OSError:  # the process has ended
            continue
    return found


@pytest.mark.slow
def test_the_stranger_of_the_examples_plays(casino):
    bot = f"process:{PYTHON} {ROOT / 'examples/foreign_bot.py'}"
    code, out, _ = casino("evaluate", "match", bot, "random", "--variant", "cassino", "--deals", 20, "--json")
    assert code == 0 and json.loads(out)["low"] > 0
