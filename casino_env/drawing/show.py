"""Rendering for the environments: one record in, text or a picture out."""

from typing import Any, NamedTuple

from casino_env.arrays import Array
from casino_env.drawing.picture import table_rgb, table_svg
from casino_env.drawing.text import table_text
from casino_env.rules import Rules
from casino_env.validate import short_repr

RENDER_MODES = ["ansi", "human", "svg", "rgb_array"]


class _Shown(NamedTuple):
    records: Array
    rules: Rules


class Show:
    """Draws a game, with all hands open or as one seat sees it."""

    def __init__(self, rules: Rules, mode: str | None, seat: int | None = None) -> None:
        if mode is not None and (not isinstance(mode, str) or mode not in RENDER_MODES):
            raise ValueError(f"render_mode = {short_repr(mode)}; it must be one of {', '.join(RENDER_MODES)}")
        if seat is not None and (type(seat) is not int or not 0 <= seat < rules.players):
            raise ValueError(f"render_seat = {short_repr(seat)}; it must be 0 to {rules.players - 1}")
        self.rules, self.mode, self.seat = rules, mode, seat

    def draw(self, records: Array) -> Any:
        if self.mode is None:
            return None
        game = _Shown(records[:1], self.rules)
        if self.mode == "svg":
            return table_svg(game, self.seat)
        if self.mode == "rgb_array":
            return table_rgb(game, self.seat)
        text = table_text(game, self.seat)
        if self.mode == "ansi":
            return text
        print(text)  # human
        return None
