"""Bots that play by hand-written rules of thumb."""
