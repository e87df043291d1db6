"""Rule sets that nobody has read: drawn by a seed, each proven to be a game of skill, and scores for agents."""
