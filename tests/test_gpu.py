"""Kernels for GPUs: run as loops in place of threads they equal the vector, and NVIDIA's assembler accepts them."""

from pathlib import Path

import numpy as np
import pytest
import torch

from casino_env import IllegalActionError, make_vec
from casino_env.aot.gpu import assembled
from casino_env.compiler.library import PTX
from casino_env.env_commands import main as env
from casino_env.envs.batch import GRIDS, draw_actions
from casino_env.envs.gpu import GpuGames
from casino_env.envs.options import Options
from casino_env.envs.vector import VectorGames
from casino_env.golden import tables
from tests.on_gpu import OPTIONS, build_loops, difference, loops


def test_without_a_gpu_a_line_says_so() -> None:
    if torch.cuda.is_available():
        pytest.skip("there is one")
    with pytest.raises(ValueError, match="torch finds no GPU"):
        make_vec("swazi", 2, 8, device="cuda")
    with pytest.raises(ValueError, match="it must be cpu, cuda or cuda:NUMBER"):
        make_vec("swazi", 2, 8, device="gpu")
    with pytest.raises(ValueError, match="device = None; it must be cpu"):
        make_vec("swazi", 2, 8, device=None)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a thread for each game"):
        make_vec("swazi", 2, 8, device="cuda", threads=2)


@pytest.fixture(scope="module")
def launch(tmp_path_factory):
    library = tmp_path_factory.mktemp("gpu") / "loops.so"
    build_loops(library)
    return loops(library)


@pytest.mark.slow
def test_every_table_is_played_as_the_vector_plays_it(launch) -> None:
    for i, rules in enumerate(tables().values()):
        options = OPTIONS[i % len(OPTIONS)]
        assert difference(launch, rules, options, 2000, games=50, seed=i) == "", (rules.name, rules.players, options)


@pytest.mark.slow
def test_what_differs_is_found(launch) -> None:
    def one_too_few(grid, block, many):
        launch(grid, block, many - (grid == "step_one"))

    rules = tables()["swazi 3"]
    assert difference(one_too_few, rules, Options(), 100, games=10).endswith("of step 1")


@pytest.mark.slow
def test_play_draws_as_the_vector_does(launch) -> None:
    rules = tables()["khasino 4"]
    vec, twin = VectorGames(rules, 8, Options()), GpuGames(rules, 8, Options(), device="cpu", launch=launch)
    vec.reset(5), twin.reset(5)
    draws, actions, which = vec.games.seeds.copy(), np.zeros(8, np.int64), np.ones(8, np.bool_)
    for _ in range(60):
        draw_actions(vec.games.legal, which, draws, actions)
        vec.step(actions)
    twin.play(60)
    assert vec.records.tobytes() == twin._games.records.numpy().tobytes()


@pytest.mark.slow
def test_illegal_actions_are_refused_and_copies_stay(launch) -> None:
    games = GpuGames(tables()["swazi 3"], 4, Options(), device="cpu", launch=launch)
    seen, mask, *_ = games.reset(seed=3)
    kept = seen.clone()
    legal = games.sample()
    assert bool(mask.gather(1, legal[:, None]).all())
    wrong = legal.clone()
    wrong[2] = int((mask[2] == 0).nonzero()[0, 0])
    for bad, text in ((wrong, "is illegal in game 2 for seat"), (legal - 1000, "is illegal in game 0")):
        with pytest.raises(IllegalActionError, match=text):
            games.step(bad)
    after = games.step(legal)[0]
    assert torch.equal(seen, kept)
    assert not torch.equal(after, kept)


@pytest.mark.slow
def test_nvidias_assembler_takes_it(tmp_path: Path, capsys) -> None:
    try:
        assert env(["compile", "--target", "nvptx64", "--to", str(tmp_path)]) == 0
        said = assembled(tmp_path / PTX)
    except ModuleNotFoundError as error:
        pytest.skip(str(error))
    for name in GRIDS:
        assert f"Compiling entry function '{name}'" in said
    assert "fma" not in (tmp_path / PTX).read_text()  # a fused multiply-add rounds differently from the CPU
