"""python -m tests.fuzz --hostile: what comes from outside, spoilt at random, is accepted or refused in one line."""
