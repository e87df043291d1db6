"""Where agents, evaluate, train and play lie, and how a program comes to import them.

In a checkout they are its folders. A wheel takes no name but casino_env from other packages, so it carries them in
casino_env/_lab, which is put on the path for whoever asks.
"""

from __future__ import annotations

import re
import sys
from importlib.util import find_spec
from pathlib import Path

PARTS = ("agents", "evaluate", "train", "play")
_PACKAGE = Path(__file__).parents[1]
_LAB = _PACKAGE / "_lab"
INSTALLED = _LAB.is_dir()
FOLDER = _LAB if INSTALLED else _PACKAGE.parent


def lab(*names: str) -> None:
    """Make agents, evaluate, train and play (or only those named) importable.

    Their folder goes to the end of the path, so nothing that a program imports already changes its meaning; ImportError
    says in one line if another package has one of the names.
    """
    for name in names:
        if name not in PARTS:
            raise ValueError(f"casino_env.lab: {name!r} is no part of the project; there are {', '.join(PARTS)}")
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))
    for name in names or PARTS:
        _check(name)


def _check(name: str) -> None:
    found = _found(name)
    if found is None:
        raise ImportError(f"casino_env: its part {name} is not in {FOLDER}: install casino-env again")
    if found.resolve() != (FOLDER / name / "__init__.py").resolve():
        raise ImportError(
            f"casino_env: `import {name}` finds {found}, not the {name} of casino-env: give that another "
            "name, or use the command `casino`"
        )


def _found(name: str) -> Path | None:
    """The file that an import of a name runs or has run; of a folder without __init__.py the folder."""
    module = sys.modules.get(name)
    spec = module.__spec__ if module is not None else find_spec(name)
    if spec is None:
        return Path(str(getattr(module, "__file__", name))) if module is not None else None
    return Path(spec.origin) if spec.origin else Path(next(iter(spec.submodule_search_locations or [name])))


def called(part: str) -> str:
    """The command of a part, as it is typed from where the user is."""
    return f"casino {part.removeprefix('casino_')}" if INSTALLED else f"python -m {part}"


def as_called(text: str | None) -> str:
    """A text that has commands as in a checkout, with each as it is typed from where the user is."""
    return re.sub(rf"python -m (casino_env|{'|'.join(PARTS)})\b", lambda found: called(found[1]), text or "")
