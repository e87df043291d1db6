"""Fresh rule sets that nobody has read: drawn from a seed, each tested to be a game of skill, and scores of agents."""
