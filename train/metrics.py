"""Every scalar of a run that is logged, with what it means; docs/metrics.md is printed from here."""

METRICS = {
    "decisions_per_second": "decisions of the learner that were played and learnt from, evaluation included",
    "policy_loss": "PPO's clipped loss, without entropy and nearness; near 0 by construction",
    "value_loss": "half the squared error of the value, in units of the reward's scale",
    "explained": "share of the variance of the value's targets that the value explains; 1 is best",
    "entropy": "mean entropy of the policy over legal actions, in nats",
    "kl": "divergence of the new policy from the one that played; above 0.05 steps are too large",
    "clipped": "share of decisions in which PPO's clip held the policy back",
    "norm": "length of the gradient before it is cut to ppo.norm",
    "rate": "learning rate",
    "warmth": "weight of the entropy",
    "careless": "dmc, nfsp: share of decisions in which any legal action was played",
    "mean_loss": "nfsp: cross-entropy of the mean policy on what best responses played",
    "solver_agreement": "expert: chance that the policy gives to best actions of the solver",
    "solver_loss": "expert: cross-entropy towards them",
    "solved": "expert: positions that the solver solved in the last iteration",
    "games": "games that ended in the last iteration",
    "decisions_per_game": "of the learner",
}
