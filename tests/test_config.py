"""Settings of training: files, overrides, and refusals."""

from pathlib import Path

import pytest

from casino_env.train.algorithms import kind_of
from casino_env.train.cli import main
from casino_env.train.commands.ablate import load_ablation
from casino_env.train.config import Config, ConfigError, load_config
from tests.refusals import refused


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("selfplay.learning_rat=0.1", "selfplay: unknown key 'learning_rat' (did you mean 'learning_rate'?)"),
        ("pppo.learning_rate=0.1", "unknown key 'pppo' (did you mean 'ppo'?)"),
        ("selfplay.learning_rate=-1", "selfplay.learning_rate = -1; it must be greater than 0"),
        ("selfplay.learning_rate=fast", "selfplay.learning_rate = 'fast'; it must be a valid number"),
        ("game.variant=swasi", "unknown variant 'swasi' (did you mean 'swazi'?)"),
        ("game.rules.steel=1", "steel"),
        ("opponents.bots.conter=0.1", "unknown bot 'conter' (did you mean 'counter'?)"),
        ("opponents.bots.random=0.6 & opponents.bots.greedy=0.5", "add up to more than 1"),
        ("opponents.earlier_selves=0.5", "opponents: unknown key 'earlier_selves'"),
        ("run.algorithm=dmc & machine.kernels=false", "needs machine.kernels = true"),
        ("selfplay.minibatch=100000", "minibatch = 100000; it must be at most games x horizon"),
        ("run.levels.config=0.5", "levels: 'config' cannot be the name of a file"),
        (f"run.levels.{'x' * 300}=0.5", "cannot be the name of a file"),
        ("run.name=../../etc", "run.name = '../../etc'"),
        ("x", "--set x: write section.setting=value"),
        ("ppo.td_lambda=0.5", "ppo: unknown key 'td_lambda'; there is afterstates.td_lambda and dmc.td_lambda"),
        (f"selfplay.horizon={'9' * 400}", "it must be less than or equal to 1000000"),
        (f"selfplay.epochs=0x{'f' * 6000}", "selfplay: epochs = this int: no run could use such a number"),
        ("selfplay.learning_rate=1e300", "selfplay: learning_rate = 1e+300: no run could use"),
        ("machine.device=tpu", "machine.device = 'tpu'"),
        ("game.others=[{variant='khasino'}]", "game.others needs game.layout = 'universal'"),
        (
            "game.others=[{variant='khasino'}] & game.layout=universal & run.algorithm=dmc",
            "game.others needs game.layout = 'universal'",
        ),
        ("game.others=[{variant='kasino'}]", "unknown variant 'kasino' (did you mean 'khasino'"),
        ("game.others=[{variants='khasino'}]", "game.others.0: unknown key 'variants'"),
        ("target.agent=greedy", "target.agent must be given with run.algorithm = 'best-response'"),
        ("ppo.critic=privileged", "ppo: unknown key 'critic'"),
    ],
)
def test_wrong_settings_are_refused_with_what_would_be_right(change, said):
    with refused(said, ConfigError):
        kind_of(load_config(None, change.split(" & ")))


def test_a_number_of_too_many_digits_names_its_file(tmp_path):
    path = tmp_path / "c.toml"
    path.write_text(f"[selfplay]\ngames = {'9' * 6000}\n")
    with pytest.raises(ConfigError, match=r"c\.toml: not TOML: Exceeds the limit"):
        load_config(str(path), [])


def test_files_hold_differences(tmp_path):
    path = tmp_path / "c.toml"
    path.write_text('[game]\nvariant = "swazi"\nplayers = 3\n[game.rules]\nteams = 0\n')
    with pytest.raises(ConfigError, match="teams"):
        load_config(str(path), [])
    path.write_text('[game]\nvariant = "swazi"\nplayers = 3\n')
    config = load_config(str(path), ["selfplay.learning_rate=0.001", "run.panel=['random']"])
    assert (config.game.players, config.selfplay.learning_rate, config.run.panel) == (3, 0.001, ("random",))
    assert config.ppo.clip == Config().ppo.clip


def test_every_config_of_the_repository_is_right():
    for path in Path(__file__).parents[1].glob("configs/**/*.toml"):
        if "[changes]" in path.read_text():
            load_ablation(str(path), [])
        else:
            kind_of(load_config(str(path), []))


def test_rows_of_an_ablation_may_be_other_learners_stopped_by_the_clock():
    path = str(Path(__file__).parents[1] / "configs" / "algorithms.toml")
    study = load_ablation(path, ["minutes=0.5"])
    found = [(config.run.algorithm, config.run.minutes) for config in study.configs()]
    assert found == [("afterstates", 0.5), ("ppo", 0.5), ("dmc", 0.5)]
    with pytest.raises(ConfigError, match="minutes"):
        load_ablation(path, ["minutes=-1"])


@pytest.mark.parametrize(
    ("option", "said"),
    [
        ("--deals 0", "2 to 10000000"),
        ("--deals 10000001", "2 to 10000000"),
        ("--match-minutes 0.0", "0.001 or more"),
        ("--match-minutes nan", "0.001 or more"),
    ],
)
def test_matches_that_cannot_be_played_are_refused_before_the_training(tmp_path, capsys, option, said):
    assert main([*option.split(), "--runs", str(tmp_path / "runs")]) == 2
    assert capsys.readouterr().err == f"train: {option}: must be {said}\n"
    for command in ("distil policy:mini-2 --to x.safetensors", "exploit greedy"):
        if command.startswith("distil") or "deals" in option:
            assert main([*command.split(), *option.split()]) == 2
            assert capsys.readouterr().err == f"train: {option}: must be {said}\n"
    assert not (tmp_path / "runs").exists()
