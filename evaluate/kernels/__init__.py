"""Compiled on their own: a change elsewhere in evaluate/ leaves them in the cache."""
