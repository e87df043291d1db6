"""Workspaces of agents: few, however many games are played, and safe among threads."""

import pickle
import subprocess
import sys
from copy import deepcopy
from functools import partial

import pytest

from casino_env import Game, make_rules, observe
from casino_env.agents.policy import Policy, Weights
from casino_env.agents.registry import make_agent
from casino_env.agents.workspaces import Recent, Turnstile

# Two threads ask one agent about positions of their own; if it mixes them up it answers illegally or crashes.
TWO_THREADS = """
import sys, threading
from casino_env import Game, observe
from casino_env.agents.registry import make_agent
agent, many, wrong = make_agent(sys.argv[1]), int(sys.argv[2]), []
seen = [observe(Game("swazi", seed=seed)) for seed in range(8)]
def ask(k):
    for i in range(many):
        view = seen[(k + i) % 8]
        action = agent.act(view)
        if not view.mask[action]:
            wrong.append(action)
threads = [threading.Thread(target=ask, args=(k,)) for k in (0, 3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(wrong), "wrong")
"""


@pytest.mark.parametrize(
    ("spec", "many"),
    [("counter", 3000), ("solved:greedy", 3000), ("policy:swazi-2", 1000), ("search:sims=8", 100),
     ("strongest:sims=8", 50)],
)  # fmt: skip
def test_threads_that_share_an_agent_wait_for_each_other(spec, many):
    done = subprocess.run([sys.executable, "-c", TWO_THREADS, spec, str(many)], capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "0 wrong\n", "")


@pytest.mark.parametrize("spec", ["counter", "policy:swazi-2", "search:sims=1", "strongest:sims=1"])
def test_games_without_number_take_no_memory_without_end(spec):
    """Each set of house rules is a game of its own."""
    agent = make_agent(spec)
    rules = [make_rules("swazi", target=target) for target in range(10, 30)]
    for each in rules:
        agent.act(observe(Game(each, seed=1)))
    parts = [agent, *(part for part in vars(agent).values() if hasattr(part, "__dict__"))]
    kept = [value for part in parts for value in vars(part).values() if isinstance(value, Recent)]
    assert kept and all(len(each) <= 8 for each in kept)
    again = agent.act(observe(Game(rules[0], seed=1)))  # its workspace has been dropped
    assert again in Game(rules[0], seed=1).legal()


def test_what_was_asked_for_last_is_kept():
    made = []
    recent = Recent[int, int]()

    def new(key):
        made.append(key)
        return -key

    for key in [*range(8), 0, 8, 0, 1]:
        assert recent.find(key, partial(new, key)) == -key
    assert made == [*range(9), 1]
    assert list(recent) == [3, 4, 5, 6, 7, 8, 0, 1]


def test_what_cannot_be_made_is_not_kept():
    recent = Recent[int, int]()
    with pytest.raises(ZeroDivisionError):
        recent.find(0, lambda: 1 // 0)
    assert not len(recent)


def test_copies_wait_for_nobody():
    """An agent that decides in another thread does not hold up its copy."""
    agent = Policy(Weights.load("swazi-2"))
    with agent.entrance:
        for twin in (deepcopy(agent), pickle.loads(pickle.dumps(agent))):
            assert isinstance(twin.entrance, Turnstile) and twin.entrance is not agent.entrance
    for spec in ("counter", "strongest:sims=1"):
        other = make_agent(spec)
        assert deepcopy(other).entrance is not other.entrance
    search = make_agent("search:sims=1")
    assert deepcopy(search).opened.entrance is not search.opened.entrance
