"""The agents of a process by their specs: made once, and the latest used ones kept for the next table."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from casino_env.agents.base import check_agent
from casino_env.agents.registry import AGENTS, AgentError, make_agent, spec_from_file
from casino_env.rules import Rules

_MOST = 8  # a search holds some 20 MB


class Players:
    """named: specs that the command line has named: only these may be code of one's own."""

    def __init__(self, named: tuple[str, ...] = ()) -> None:
        self._named = frozenset(named)
        self._made: OrderedDict[str, Any] = OrderedDict()

    def of(self, spec: str) -> Any:
        """Whoever gets it resets it before it decides."""
        if spec not in self._made:
            self._made[spec] = make_agent(spec if spec in self._named else spec_from_file(spec, "the table"))
            if len(self._made) > _MOST:
                self._made.popitem(last=False)
        self._made.move_to_end(spec)
        return self._made[spec]

    def check(self, specs: list[str], rules: Rules) -> None:
        """Raises ValueError if one of them cannot sit down to this game."""
        for spec in dict.fromkeys(specs):
            agent = self.of(spec)
            try:
                check_agent(agent, rules)
            except ValueError:  # which names a file of this machine
                raise AgentError(f"{spec} does not play {rules.name} with {rules.players} players") from None


def is_quick(spec: str) -> bool:
    """Its moves take no longer than a person's."""
    known = AGENTS.get(spec.partition(":")[0])
    return known is not None and known.quick
