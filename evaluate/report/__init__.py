"""Pages about tournaments and runs: tables, charts, games to look at."""
