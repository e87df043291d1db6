"""Whatever chooses a move: built on casino_env, never the other way round."""
