"""Modules that programs import from where they once lay: `import casino_env.segments` finds the one in knowledge/."""

from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

_NOW = {
    "casino_env.segments": "casino_env.knowledge.segments",
    "casino_env.state": "casino_env.engine.state",
    "casino_env.vector": "casino_env.envs.vector",
    "casino_env.enumerate": "casino_env.turns",
}


class Moved(MetaPathFinder, Loader):
    """Hands out the module itself, so that there are no two of it."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        return ModuleSpec(name, self) if name in _NOW else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = import_module(_NOW[spec.name])
        self._own = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """It has run already; only its own name comes back to it."""
        module.__spec__ = self._own
