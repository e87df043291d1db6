"""Search training settings with optuna: short runs, each evaluated on the same deals against the same opponent.

    pip install -e '.[train,eval,hpo]'
    python examples/tune.py --trials 30 --decisions 2_000_000 --runs runs/tune

The study is kept in RUNS/study.db (SQLite), so the same command resumes it. A trial that is worse than the median of
the others at the same point is pruned. The first trial has the defaults. Change `settings` for your own search.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import optuna

from casino_env.evaluate import match
from casino_env.train.config import load_config
from casino_env.train.run import Run

DEFAULTS = {"learning_rate": 2e-3, "entropy_coef": 0.1, "gae_lambda": 0.5, "horizon": 40}
PIECES, SEED = 4, 7  # matches of each trial; the deals of all matches


def settings(trial: optuna.Trial) -> dict[str, Any]:
    return {
        "run.algorithm": "ppo",
        "selfplay.learning_rate": trial.suggest_float("learning_rate", 5e-4, 8e-3, log=True),
        "ppo.entropy_coef": trial.suggest_float("entropy_coef", 0.02, 0.2, log=True),
        "ppo.gae_lambda": trial.suggest_float("gae_lambda", 0.3, 0.95),
        "selfplay.horizon": trial.suggest_categorical("horizon", [20, 40, 80]),
    }


def points(trial: optuna.Trial, args: argparse.Namespace) -> float:
    """Run a trial; return its points a deal over the reference, from matches on fixed deals."""
    changes = settings(trial) | {"run.name": f"trial-{trial.number}", "run.decisions": args.decisions}
    run = Run.start(load_config(None, [f"{key}={json.dumps(value)}" for key, value in changes.items()]), args.runs)
    found = 0.0
    for piece in range(1, PIECES + 1):
        while run.progress() < piece / PIECES:
            run.algorithm.learn(run.progress())
        found = match(run.policy(), args.reference, run.algorithm.rules, deals=args.deals, seed=SEED).diff
        trial.report(found, piece)
        if trial.should_prune():
            raise optuna.TrialPruned
    run.save()
    run.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=30, help="how many, with those that are done (30)")
    parser.add_argument("--decisions", type=int, default=2_000_000, help="training of each (2,000,000)")
    parser.add_argument("--deals", type=int, default=1000, help="of each match, from both seats (1000)")
    parser.add_argument("--reference", default="counter", help="whom each trial plays: any agent (counter)")
    parser.add_argument("--runs", type=Path, default=Path("runs/tune"), help="where everything lies (runs/tune)")
    args = parser.parse_args()
    args.runs.mkdir(parents=True, exist_ok=True)
    storage = f"sqlite:///{args.runs}/study.db"
    study = optuna.create_study(storage=storage, study_name="tune", direction="maximize", load_if_exists=True)
    study.sampler = optuna.samplers.TPESampler(seed=len(study.trials))
    if not study.trials:
        study.enqueue_trial(DEFAULTS)
    done = len(study.get_trials(states=[optuna.trial.TrialState.COMPLETE, optuna.trial.TrialState.PRUNED]))
    study.optimize(lambda trial: points(trial, args), n_trials=max(0, args.trials - done))
    print(f"best: {study.best_value:+.2f} points a deal over {args.reference}, {study.best_params}")
    print(f"policy:{args.runs}/trial-{study.best_trial.number}")


if __name__ == "__main__":
    main()
