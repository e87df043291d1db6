"""python -m tests.fuzz --hostile: inputs corrupted at random must be accepted, or refused in one line."""
