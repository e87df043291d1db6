"""Reports as their user makes them, for the tests of what is read and of what is drawn."""

import json

from casino_env.evaluate.cli import main

CUP = {"agents": ["greedy", "random"], "variant": "swazi", "players": 2, "rules": {}, "seed": 0, "deals": 5}
MATCH = {"a": "x", "b": "y", "diff": 1, "low": 0, "high": 2, "deals": 9, "variant": "v", "players": 2, "win_a": 0.5}


def command(capsys, *words):
    code = main([*map(str, words)])
    return code, *capsys.readouterr()


def data_of(page):
    """What the page of this path says, as the command writes it beside it."""
    return json.loads((page.with_suffix("") / "report.json").read_text())
