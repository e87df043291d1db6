"""Every scalar of a run that is logged, with what it means; docs/metrics.md is printed from here."""

METRICS = {
    "decisions_per_second": "decisions of the learner that were played and learnt from, evaluation included",
    "policy_loss": "PPO's clipped loss, without its entropy and kl terms; near 0 by construction",
    "value_loss": "half the squared error of the value, in units of the reward's scale",
    "explained_variance": "share of the variance of the value's targets that the value explains; 1 is best",
    "entropy": "mean entropy of the policy over legal actions, in nats",
    "kl": "divergence of the new policy from the one that played; above 0.05 steps are too large",
    "clip_fraction": "share of decisions in which PPO's clip held the policy back",
    "grad_norm": "length of the gradient before it is cut to ppo.max_grad_norm",
    "learning_rate": "it falls to zero",
    "entropy_coef": "weight of the entropy bonus, on average",
    "epsilon": "dmc, nfsp: share of decisions in which any legal action was played",
    "mean_loss": "nfsp: cross-entropy of the mean policy on what best responses played",
    "games": "games that ended in the last iteration",
    "decisions_per_game": "of the learner",
}
