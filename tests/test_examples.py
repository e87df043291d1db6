"""Every example runs; an example is skipped if a library that it needs is missing."""

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from casino_env.text import TextGame
from tests.fake_model import answering, any_turn

ROOT = Path(__file__).parent.parent

# Train for a moment, too short to learn. tests/interop.sh sets longer times, and names what it has installed.
SHORT = os.environ.get("EXAMPLES_SHORT", "--minutes 0.01 --deals 20").split()
INTEROP = os.environ.get("EXAMPLES_LIBRARY", "")
OWN = {"pettingzoo", "numpy", "torch", "optuna"}  # in .venv, so their examples run there
KEPT = ["--cpu-minutes", "0.08", "--deals", "20", "--variant", "swazi", "--out", "{folder}/run"]
EQUAL = [
    "--learners", "cleanrl", "ppo", "--players", "3", "--seeds", "1", "--cpu-minutes", "0.02", "--deals", "4",
    "--out", "{folder}/equal",
]  # fmt: skip
MINI = ["--methods", "ppo", "--decisions", "4096", "--looks", "1", "--out", "{folder}/mini"]
RUN = r"[1-9]\d* decisions in \d+ s, \d+ s of processor time: [+-]\d.* over counter; .*/run\n"
LEARNING = r"before: [+-]\d.*over greedy\n(.*\n)*after: [+-]\d.*over greedy\n(not )?learnt.*\n[1-9]\d* decisions"

# script, arguments, the library it needs, what its output must match
EXAMPLES = [
    ("pettingzoo_loop", [], "pettingzoo", r"terminated True .* has finished"),
    ("vector_loop", ["--num-envs", "64", "--steps", "80"], "numpy", r"\d+ deals of \d+\.\d decisions"),
    ("cleanrl_ppo", SHORT, "torch", r"before: .*\nafter: [+-]\d.*\n\d+ decisions"),
    ("cleanrl_ppo", [*KEPT, "--players", "3", "--keep"], "torch", RUN),
    ("equal_time", EQUAL, "torch", r"--keep.*\n.*over counter; .*\n.*casino_env train .*\n(.*\n)*.*/ppo-swazi-3-seed0"),
    ("sb3_maskable_ppo", SHORT, "sb3_contrib", LEARNING),
    ("sb3_as_policy", [*KEPT, "--players", "3"], "sb3_contrib", RUN),
    ("torchrl_ppo", SHORT, "torchrl", LEARNING),
    ("torchrl_ppo", [*SHORT, "--api", "GymEnv"], "torchrl", LEARNING),
    ("torchrl_pettingzoo", ["--steps", "150"], "torchrl", r"[1-9]\d* deals, 150 decisions, last loss [+-]\d"),
    ("skrl_ppo", SHORT, "skrl", LEARNING),
    ("tianshou_pettingzoo", SHORT, "tianshou", r"are followed by an observation of the other seat(.*\n)*" + LEARNING),
    ("rllib_ppo", [*SHORT, "--batch", "100"], "ray torch", LEARNING),
    ("rllib_ppo", [*SHORT, "--batch", "100", "--api", "Gymnasium"], "ray torch", LEARNING),
    ("agilerl_ppo", [*SHORT, "--frames", "128"], "agilerl", LEARNING),
    ("pufferlib_ppo", SHORT, "pufferlib", LEARNING),
    ("supersuit_wrappers", SHORT, "supersuit", LEARNING),
    ("minari_cloning", SHORT, "minari", r"[1-9]\d* deals, \d+ decisions, read 1 times(.*\n)*after: "),
    ("openspiel_policy_gradient", SHORT, "pyspiel", LEARNING),
    ("openspiel_bridge", ["--iterations", "4"], "pyspiel", r"4 +1\.1333"),
    ("llm/textarena_env", ["--games", "50"], "textarena", r"50 games, [1-9]\d* replies"),
    ("llm/openenv_server", ["--games", "50", "--port", "8771"], "openenv", r"50 deals, [1-9]\d* replies, (.*\n)*valid"),
    ("llm/trl_environment", ["--games", "50"], "trl", r"'name': 'play'(.*\n)*50 deals, [1-9]\d* calls"),
    ("llm/nemo_gym_server", ["--games", "50", "--port", "8772"], "nemo_gym", r"50 deals, [+-]\d.* over greedy"),
    ("llm/kaggle_harness", ["--games", "50"], "kaggle_environments", r"50 games, [1-9]\d* lost by two invalid answers"),
    (
        "tune",
        ["--trials", "2", "--decisions", "20000", "--deals", "4", "--runs", "{folder}/tune"],
        "optuna",
        r"best: [+-]\d.*\npolicy:.*/trial-[01]\n",
    ),
    ("mini_exploitability", MINI, "torch", r"\| ppo \| 4,096 \| \d+ \| [23]\.\d{3} \|"),
]
# Examples that need another program's output or requests: test_process.py.
NOT_ALONE = {"onnx_player", "foreign_bot", "llm/casino_vf"}
SHARED = {"measured", "kept_run", "sb3_vec_env", "llm/one_seat"}


def test_examples_find_in_each_other_what_they_import():
    """Check the source text, because few machines have all libraries."""
    trees = {path.stem: ast.parse(path.read_text("utf-8")) for path in (ROOT / "examples").rglob("*.py")}
    checked = 0
    for name, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.ImportFrom) and node.module in trees:
                there = {found.id for found in ast.walk(trees[node.module]) if isinstance(found, ast.Name)}
                there |= {found.name for found in trees[node.module].body if hasattr(found, "name")}
                missing = {alias.name for alias in node.names} - there
                assert not missing, f"{name} imports {missing} from {node.module}"
                checked += 1
    assert checked > 10


@pytest.mark.slow
@pytest.mark.parametrize(("name", "arguments", "library", "expected"), EXAMPLES, ids=[row[0] for row in EXAMPLES])
def test_example(name, arguments, library, expected, tmp_path):
    needs(name, library)
    run([f"examples/{name}.py", *(word.format(folder=tmp_path) for word in arguments)], expected)


def needs(name, libraries):
    if not all(map(importlib.util.find_spec, libraries.split())):
        pytest.skip(f"needs {libraries}: see the head of examples/{name}.py")
    if INTEROP not in ("", "own") and libraries in OWN:
        pytest.skip("tests/interop.sh own runs it")


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_verifiers(tmp_path):
    needs("llm/casino_vf", "verifiers")
    with answering(any_turn()) as model:
        url = f"http://127.0.0.1:{model.server_port}/v1"
        words = ["-c", "from verifiers.v1.cli.eval.main import main; main()", "casino_vf", "-n", "50", "-c", "4",
                 "-m", "fake", "--client.base-url", url, "--env.taskset.variant", "mini", "--no-push"]  # fmt: skip
        env = os.environ | {"PYTHONPATH": str(ROOT / "examples/llm")}
        run(words, r"50/50 .* reward 0\.00 .* err 0\.00(.*\n)*.*points_ahead", cwd=tmp_path, env=env, seconds=1500)
    (kept,) = tmp_path.glob("outputs/*/traces.jsonl")
    played = [json.loads(line) for line in kept.read_text("utf-8").splitlines()]
    assert sorted(each["task"]["data"]["seed"] for each in played) == list(range(50))
    for each in played:
        assert sum(trace["rewards"]["points_ahead"]["score"] for trace in each["traces"]) == 0
        game = TextGame("mini", 2, listed=True)
        game.reset(each["task"]["data"]["seed"])
        said = [node["message"]["content"] for trace in each["traces"] for node in trace["nodes"]]
        assert game.observation(rules=False) in said  # the first turn, with the seed's cards


def run(words, expected, cwd=ROOT, env=None, seconds=500):
    command = [sys.executable, *words]
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=seconds, check=False)
    assert done.returncode == 0, done.stderr
    assert re.search(expected, done.stdout), done.stdout
    if INTEROP:
        with Path(os.environ["EXAMPLES_TABLE"]).open("a", encoding="utf-8") as file:
            print(INTEROP, title(words), *scores(done.stdout), sep="\t", file=file)


def title(words):
    """Return the example's name and the interfaces given by --api."""
    apis = [words[k + 1] for k, word in enumerate(words) if word == "--api"]
    name = next((word for word in words if word.startswith("examples")), "examples/llm/casino_vf")
    return " ".join([re.sub(r"^examples[/.]|\.py$", "", name), *apis])


def scores(said):
    """Return the scores before and after learning; without them, "" and the count of failures or the last line."""
    found = dict(re.findall(r"^(before|after): (.*)$", said, re.MULTILINE))
    if found:
        return found.get("before", ""), found["after"]
    return "", (re.findall(r"\d+/\d+ .* err .*", said) or said.strip().splitlines())[-1][:70]


def test_every_example_is_listed():
    folder = ROOT / "examples"
    scripts = {path.relative_to(folder).with_suffix("").as_posix()
               for path in (*folder.glob("*.py"), *folder.glob("llm/*.py"))}  # fmt: skip
    assert scripts == {row[0] for row in EXAMPLES} | NOT_ALONE | SHARED
