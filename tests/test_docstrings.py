"""The examples in docstrings of what users call: each runs, and prints what it says. And every public name is there."""

import doctest
from typing import Any

import pytest

import casino_env
from casino_env.agents.advise import advise
from casino_env.evaluate import match

PUBLIC = {name: getattr(casino_env, name) for name in casino_env.__all__}
SHOWN = [casino_env.Game, casino_env.Game.apply, casino_env.env, casino_env.make_vec, advise, match]


@pytest.mark.parametrize("shown", SHOWN, ids=lambda shown: shown.__qualname__)
def test_example(shown: Any) -> None:
    (example,) = doctest.DocTestFinder(recurse=False).find(shown, shown.__qualname__, globs=PUBLIC.copy())
    assert example.examples
    assert doctest.DocTestRunner().run(example).failed == 0
