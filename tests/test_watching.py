"""Agents watch while others decide, in matches and environments; and agents that fail in any way are named."""

import json
import subprocess
import sys

import numpy as np
import pytest

import casino_env
from casino_env import evaluate, observe
from casino_env.envs.options import generator
from casino_env.evaluate.matches.duplicate import play_game
from casino_env.evaluate.matches.pairing import AgentFailedError, Pairing, blamed
from tests.environments import make_many, make_one
from tests.players import Illegal
from tests.refusals import refused
from tests.rogues import Exits, IllegalInMany, Panics, Raises, Speechless, Tampers, TampersInMany, WaitsInMany


class Watching:
    """Take the first action, and record (whether it was asked, the view) each time."""

    def reset(self, seat, rng):
        self.seat, self.seen = seat, []

    def watch(self, observation):
        self._see(observation, asked=False)

    def act(self, observation):
        self._see(observation, asked=True)
        return observation.legal()[0]

    def _see(self, observation, asked):
        assert observation.seat == self.seat
        assert observation.legal() or not asked
        self.seen.append((asked, observation.view.tobytes()))


def all_that_is_seen(game, seat):
    """Return what such an agent records on a seat if everybody takes the first action."""
    seen = []
    while not game.over:
        seen.append((game.seat == seat, observe(game, seat).view.tobytes()))
        game.apply(game.legal()[0])
    return seen


def test_everybody_sees_each_decision_of_a_match_once():
    pairing = Pairing.of(casino_env.make_rules("swazi", 3), (Watching(), Watching()), np.array([[0, 1, 1]]))
    game = play_game(pairing, pairing.seatings[0], 7).game
    assert game.over
    for (_, seat), player in pairing._copies.items():
        assert player.seen == all_that_is_seen(casino_env.Game("swazi", 3, seed=7), seat)


def test_an_agent_that_fails_to_watch_is_to_blame():
    class Blind(Watching):
        def watch(self, observation):
            raise RuntimeError("cannot see")

    pairing = Pairing.of(casino_env.make_rules("swazi", 2), (Watching(), Blind()), np.array([[0, 1]]))
    with pytest.raises(AgentFailedError, match="Blind: RuntimeError: cannot see"):
        play_game(pairing, pairing.seatings[0], 7)


def test_opponents_in_gymnasium_see_each_decision_once():
    opponents = [Watching(), Watching()]
    env = make_one("casino_env:CasinoEnv/Swazi-v0", players=3, opponents=opponents)
    env.reset(seed=7)
    over = False
    while not over:
        _, _, over, _, _ = env.step(int(np.argmax(env.unwrapped.action_masks())))
    for opponent in opponents:
        assert opponent.seen == all_that_is_seen(casino_env.Game("swazi", 3, seed=7), opponent.seat)


def test_opponents_in_a_batch_see_each_decision_once():
    env = make_many(
        "casino_env:CasinoEnv/Swazi-v0", num_envs=2, players=3, opponents=Watching(), autoreset_mode="disabled"
    )
    observations, _ = env.reset(seed=[7, 8])
    over = np.zeros(2, bool)
    while not over.any():
        observations, _, over, _, _ = env.step(observations["action_mask"].argmax(axis=1))
    assert over.any()
    for seed, opponents, done in zip((7, 8), env.unwrapped._crowd.opponents, over, strict=True):
        for seat, opponent in opponents.items():
            whole = all_that_is_seen(casino_env.Game("swazi", 3, seed=seed), seat)
            assert opponent.seen == (whole if done else whole[: len(opponent.seen)])
            assert len(opponent.seen) > 5


# --- faulty agents are named -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rogue", "said"),
    [
        (Illegal(), "Illegal: illegal action 'card AS' by seat"),
        (Raises(), r"Raises: KeyError: 'lost\nmy notes'"),
        (Exits(), "Exits: SystemExit: 0"),
        (Panics(), "Panics: PanicError: lost"),
        (Speechless(), "Speechless: SpeechlessError"),
        (Tampers(), "Tampers: illegal action 'card AS' by seat"),
    ],
)
def test_broken_agents_are_named(rogue, said):
    with refused(said, AgentFailedError):
        evaluate.match("greedy", rogue, deals=2)


@pytest.mark.parametrize("rogue", [IllegalInMany(), WaitsInMany(), TampersInMany()])
def test_an_illegal_move_in_a_batch_is_found(rogue):
    with pytest.raises(AgentFailedError, match=f"{type(rogue).__name__}: illegal action"):
        evaluate.match(rogue, "greedy", deals=5)


def test_ctrl_c_is_the_users():
    with pytest.raises(KeyboardInterrupt), blamed("an agent"):
        raise KeyboardInterrupt


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rogue", "said"),
    [
        ("Exits", "SystemExit: 0"),
        ("Interrupts", "KeyboardInterrupt"),
        ("Panics", "PanicError: lost"),
        ("OnlyOnce", "RuntimeError: the device is in use"),
        ("DiesAgain", "its process died"),
    ],
)
def test_so_they_are_where_they_play_in_processes(rogue, said):
    name = f"tests.rogues:{rogue}"
    words = ["match", "greedy", name, "random", "--variant", "mini", "--deals", "4", "--threads", "2", "--json"]
    done = subprocess.run([sys.executable, "-m", "evaluate", *words], capture_output=True, text=True, timeout=300)
    assert done.returncode == 1 and [row["b"] for row in json.loads(done.stdout)] == ["random"]
    assert done.stderr.startswith(f"evaluate: {name}: ") and said in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.slow
@pytest.mark.parametrize("threads", ["1", "2"])
def test_what_agents_print_is_no_result(threads):
    words = f"match greedy tests.rogues:Talks --variant mini --deals 2 --json --threads {threads}".split()
    done = subprocess.run([sys.executable, "-m", "evaluate", *words], capture_output=True, text=True, timeout=300)
    assert json.loads(done.stdout)["deals"] == 2


def test_a_generator_does_not_say_what_it_was_made_from():
    """An agent that knew the number of the deal would know its cards."""
    ours, plain = generator(3, 12345, 1), np.random.default_rng([3, 12345, 1])
    assert ours.integers(1 << 60, size=9).tolist() == plain.integers(1 << 60, size=9).tolist()
    told = [repr(each.bit_generator.seed_seq) for each in (plain, ours)]
    assert "12345" in told[0] and "12345" not in told[1]
    spawned = [generator(3, deal, 1).spawn(1)[0].integers(1 << 60) for deal in (1, 1, 2)]
    assert spawned[0] == spawned[1] != spawned[2]
