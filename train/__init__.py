"""Training: self-play on batches of games, PPO and other algorithms, checkpoints and logs."""
