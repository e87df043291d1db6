"""Self-play in a batch, with trajectories by game and seat: `python examples/vector_loop.py`.

Each game waits for a different seat, so the successor of a decision is the next decision of the same seat in the same
game, not the next row of the batch.
"""

import argparse
import time

import numpy as np

import casino_env


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--variant", default="south-african")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--num-envs", type=int, default=1024)
    parser.add_argument("--steps", type=int, default=200)
    args = parser.parse_args()
    vec = casino_env.make_vec(args.variant, args.players, args.num_envs, seed=1, threads=2)
    _observation, mask, seat = vec.reset(1)
    rows = np.arange(args.num_envs)
    decisions = np.zeros((args.num_envs, args.players), np.int64)  # of the running deal, by game and seat
    lengths, returns = [], np.zeros(args.players)
    began = time.perf_counter()
    for _ in range(args.steps):
        decisions[rows, seat] += 1
        action = vec.sample()  # a policy would choose here, from the observation and the mask
        assert mask[rows, action].all()
        _observation, mask, seat, reward, done = vec.step(action)
        returns += reward.sum(0)  # every seat gets its reward, not only the one that has just moved
        lengths += decisions[done].sum(1).tolist()
        decisions[done] = 0
    speed = args.num_envs * args.steps / (time.perf_counter() - began)
    print(f"{len(lengths)} deals of {np.mean(lengths):.1f} decisions; {speed:,.0f} decisions a second")
    print("points a deal more than the others, by seat:", np.round(returns / max(1, len(lengths)), 3))


if __name__ == "__main__":
    main()
