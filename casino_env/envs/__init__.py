"""Environments: batches of games, PettingZoo, Gymnasium."""
