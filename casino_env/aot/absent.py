"""What stands in for torch and others while kernels are compiled: modules with kernels import them, kernels use none.

So the library is made where they are not installed, or not yet.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from importlib.util import find_spec
from types import ModuleType
from typing import Any

_UNUSED = ("torch", "tensorboard", "scipy", "choix", "rich")


class _Anything(type):
    """Can be asked for any name, inherited from, and called (as a decorator)."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return cls

    def __call__(cls, *args: Any, **_keywords: Any) -> Any:
        return args[0] if args and callable(args[0]) else cls


class Nothing(metaclass=_Anything):
    pass


class _Module(ModuleType):
    def __getattr__(self, name: str) -> Any:
        return getattr(Nothing, name)


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def __init__(self, absent: list[str]) -> None:
        self._absent = absent

    def find_spec(self, name: str, _path: Any, _target: Any = None) -> Any:
        return (
            importlib.machinery.ModuleSpec(name, self, is_package=True)
            if name.partition(".")[0] in self._absent
            else None
        )

    def create_module(self, spec: Any) -> ModuleType:
        return _Module(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


def stand_in() -> None:
    """For those of them that are not installed; before all others, for they may be on their way."""
    sys.meta_path.insert(0, _Finder([name for name in _UNUSED if not find_spec(name)]))
