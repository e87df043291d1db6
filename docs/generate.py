"""Fill the tables of the documents from the code: `python docs/generate.py`; `--check` fails if they are stale."""

import ast
import json
import re
import sys
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, get_args, get_origin

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from pydantic import BaseModel  # noqa: E402

from casino_env import actions  # noqa: E402
from casino_env.agents.policy.policy_files import learnt  # noqa: E402
from casino_env.agents.policy.shipped import absent, best, description, lower_levels  # noqa: E402
from casino_env.cards import card_name  # noqa: E402
from casino_env.knowledge import layout  # noqa: E402
from casino_env.presets import PRESETS  # noqa: E402
from casino_env.rules import Rules, make_rules, player_counts  # noqa: E402
from casino_env.text.rules_text import SECTIONS, WHAT  # noqa: E402
from casino_env.train import config  # noqa: E402
from casino_env.train.log import METRICS  # noqa: E402
from docs.tables import filled  # noqa: E402

SHOWN = ("south-african-2", "swazi-3", "kasa-2", "khasino-4-partners", "cassino-2", "royal-2")  # policies in the README


def field_comments(file: str = "casino_env/switches.py", name: str = "Switches") -> dict[str, str]:
    """Return the comment of each field of a class: on its line, or just above it."""
    source = (ROOT / file).read_text("utf-8").splitlines()
    tree = ast.parse("\n".join(source))
    record = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name)
    found = {}
    for node in record.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            line, above = source[node.lineno - 1], source[node.lineno - 2].strip()
            own = line.partition("  # ")[2]
            found[node.target.id] = own or (above[2:] if above.startswith("# ") and "---" not in above else "")
    return found


def shown(value: object) -> str:
    return {True: "yes", False: "no"}.get(value, str(value)) if isinstance(value, bool) else str(value)


def field_table() -> list[str]:
    comments = field_comments()
    rows = ["| field | values | default | meaning |", "| --- | --- | --- | --- |"]
    for field in fields(Rules):
        if field.name in ("name", "players"):
            continue
        kind = field.type
        plain = "yes, no" if kind is bool else "number"
        values = ", ".join(get_args(kind)) if get_origin(kind) is not None else plain
        rows.append(f"| `{field.name}` | {values} | {shown(field.default)} | {comments[field.name]} |")
    return rows


def preset_table() -> list[str]:
    """Return the switches that differ from their defaults: common to all tables of a game, then by number of seats."""
    rows = ["| game | players | cards in a hand | switches |", "| --- | --- | ---: | --- |"]
    for name in PRESETS:
        tables = {str(players): make_rules(name, players) for players in player_counts(name)}
        if PRESETS[name].singles is not None:
            tables["4 singles"] = make_rules(name, 4, partners=False)
        changed = {table: differing(rules) for table, rules in tables.items()}
        first, *others = changed.values()
        common = [item for item in first if all(item in each for each in others)]
        if others:
            rows.append(f"| {name} | all | | {', '.join(common)} |")
        for table, rules in tables.items():
            own = [item for item in changed[table] if not others or item not in common]
            rows.append(f"| {'' if others else name} | {table} | {rules.hand_size} | {', '.join(own)} |")
    return rows


def differing(rules: Rules) -> list[str]:
    changed = [field for field in fields(Rules) if field.name not in ("name", "players")]
    return [
        f"`{field.name}` {shown(getattr(rules, field.name))}"
        for field in changed
        if getattr(rules, field.name) != field.default
    ]


def action_table() -> list[str]:
    ranges = [
        (actions.CARD, "card C", "put C into the open set or capture; where C lies says what is done with it"),
        (actions.DISCARD, "discard C", "leave C loose on the table"),
        (actions.CAPTURE, "capture C", "take with C; what is not a choice comes along by itself"),
        (actions.CAPTURE_HIGH, "capture C as 14", "take with an ace that counts 14"),
        (actions.BUILD, "build V", "open a set worth V; inside a capture: take the build of V"),
        (actions.RAISE, "raise V", "pull the single build of V into the set opened next with `build`"),
        (actions.END, "end", "end of the turn, or of the choice that is open"),
        (actions.YES, "yes", "answer to a question"),
        (actions.NO, "no", "answer to a question"),
        (actions.COUNT_OUT, "count out", "claim the target of the match"),
    ]
    rows = ["| numbers | text | meaning |", "| --- | --- | --- |"]
    ends = [first for first, _, _ in ranges[1:]] + [actions.ACTIONS]
    for (first, text, meaning), end in zip(ranges, ends, strict=True):
        numbers = f"{first}" if end == first + 1 else f"{first} to {end - 1}"
        rows.append(f"| {numbers} | `{text}` | {meaning} |")
    first_cards = " ".join(card_name(card) for card in range(5))
    return [*rows, "", f"Cards are counted by rank, then suit S H D C: {first_cards} ... are 0 1 2 3 4 ..."]


def own_observation() -> list[str]:
    return layout.as_markdown(layout.make_layout(make_rules("south-african", 2)))


def universal_observation() -> list[str]:
    """Return the segments of the universal observation that the observation of one game lacks."""
    rules = make_rules("south-african", 2)
    own = {segment.name for segment in layout.make_layout(rules).segments}
    rows = layout.as_markdown(layout.make_layout(rules, universal=True))
    return [row for row in rows if not any(f"| `{name}` |" in row for name in own)]


def settings_table() -> list[str]:
    rows = ["| setting | default | meaning |", "| --- | --- | --- |"]
    for section, field in config.Config.model_fields.items():
        model = field.annotation
        assert isinstance(model, type)
        assert issubclass(model, BaseModel)
        comments: dict[str, str] = {}
        for part in [base for base in reversed(model.__mro__) if base.__module__ == config.__name__]:
            comments |= field_comments("train/config.py", part.__name__)
        for name, setting in model.model_fields.items():
            default = str(setting.default).replace("'", '"')
            rows.append(f"| `{section}.{name}` | {default} | {comments[name]} |")
    return rows


def metrics_table() -> list[str]:
    rows = ["| scalar | meaning |", "| --- | --- |"]
    return rows + [f"| `train/{name}` | {meaning} |" for name, meaning in METRICS.items()]


def ranged(mean: str, item: dict[str, float]) -> str:
    """Return a mean with half of its 95 % interval."""
    return f"{mean} ± {(item['high'] - item['low']) / 2:.2f}"


def margin(row: dict[str, Any] | None) -> str:
    """Return the points a deal over an opponent; empty if not measured."""
    return ranged(f"{row['diff']:+.2f}", row) if row else ""


def best_policies() -> dict[str, dict[str, Any]]:
    """Return the names and descriptions of the policies that are not a lower level of another."""
    return {name: description(name) for name in best()}


def strength_table() -> list[str]:
    """Return the results of `python -m benchmarks strength`: a row for each policy, a column for each opponent."""
    rivals = ("random", "greedy", "builder", "counter", "partner", "medium", "easy", "search:sims=200")
    rows = ["| policy | " + " | ".join(rivals) + " |", "| --- |" + " --- |" * len(rivals)]
    for name, data in specialists().items():
        found = {row["against"].removeprefix(f"policy:{name}-"): row for row in data.get("strength", [])}
        rows.append(f"| `{name}` | " + " | ".join(margin(found.get(rival)) for rival in rivals) + " |")
    return rows


def trainings_table() -> list[str]:
    """Return the training cost of each policy, and the play settings of its lower levels."""
    rows = ["| policy | commit | turns | minutes | medium | easy |", "| --- | --- | ---: | ---: | --- | --- |"]
    for name, data in specialists().items():
        levels = {level.removeprefix(f"{name}-"): one["play"] for level, one in lower_levels(name).items()}
        took = data["training"]
        cells = [data["commit"], f"{took['decisions'] / 1e6:.1f} M", f"{took['seconds'] / 60:.1f}"]
        cells += [manner(levels.get(level)) for level in ("medium", "easy")]
        rows.append(f"| `{name}` | " + " | ".join(cells) + " |")
    return rows


def specialists() -> dict[str, dict[str, Any]]:
    """Return the best policies that have learnt one game."""
    return {name: data for name, data in best_policies().items() if len(learnt(data)) == 1}


def manner(play: dict[str, Any] | None) -> str:
    """Return the play settings of a lower level: temperature in points, and turns of lookahead."""
    if not play:
        return ""
    return f"{play['temperature']:.2f}" + (f", {play['turns']} turns" if play["turns"] > 1 else "")


def universal_table() -> list[str]:
    """Return tables that compare the policies of many games with those of one game."""
    rows: list[str] = []
    for name, data in best_policies().items():
        if len(learnt(data)) > 1:
            took = data["training"]
            said = (
                f"{took['decisions'] / 1e6:.1f} M turns in {took['seconds'] / 60:.1f} minutes, commit {data['commit']}."
            )
            rows += [f"### `policy:{name}`", "", said, "", *games_table(data["strength"]), ""]
    return rows[:-1]


def games_table(strength: list[dict[str, Any]]) -> list[str]:
    table = ["| game | over greedy | over counter | over the policy of that game |", "| --- | --- | --- | --- |"]
    for game in dict.fromkeys(row["game"] for row in strength):
        found = {row["against"].partition(":")[0]: row for row in strength if row["game"] == game}
        table.append(
            f"| {game} | " + " | ".join(margin(found.get(key)) for key in ("greedy", "counter", "policy")) + " |"
        )
    return table


def results_table() -> list[str]:
    """Return the results of some of the best policies against the bots."""
    rivals = ("greedy", "builder", "counter")
    rows = ["| ready opponent | trained for | " + " | ".join(f"over {name}" for name in rivals) + " |"]
    rows.append("| --- | --- |" + " --- |" * len(rivals))
    policies = best_policies()
    for name in (name for name in SHOWN if name in policies):
        found = {row["against"]: row for row in policies[name].get("strength", [])}
        turns = f"{policies[name]['training']['decisions'] / 1e6:.0f} M turns"
        rows.append(f"| `policy:{name}` | {turns} | " + " | ".join(margin(found.get(rival)) for rival in rivals) + " |")
    return rows


def english_of_the_rules() -> list[str]:
    """Return the sentences of the rules for the page, with typographic apostrophes and quotation marks."""
    rows = [("rules." + name, "", title) for name, (title, _) in SECTIONS.items()]
    rows += [*WHAT, *(row for _, said in SECTIONS.values() for row in said)]
    texts = {key: re.sub(r"(?<= )'(\w+)'", "\u201c\\1\u201d", text).replace("'", "\u2019") for key, _, text in rows}
    return [f"  {json.dumps(key)}: {json.dumps(text, ensure_ascii=False)}," for key, text in texts.items()]


def rows_of_the_rules() -> list[str]:
    """Return the conditions under which the page shows each sentence."""
    sections = {"what": WHAT} | {name: rows for name, (_, rows) in SECTIONS.items()}
    lines = []
    for name, rows in sections.items():
        said = [json.dumps(f"{key} {when}".strip()) for key, when, _ in rows]
        lines += [f"  {name}: [", *(f"    {row}," for row in said), "  ],"]
    return lines


Tables = dict[str, dict[str, Callable[[], list[str]]]]
TABLES: Tables = {
    "docs/observation.md": {"own": own_observation, "universal": universal_observation},
    "docs/rules.md": {"fields": field_table, "presets": preset_table},
    "docs/actions.md": {"actions": action_table},
    "docs/training.md": {"settings": settings_table},
    "docs/metrics.md": {"metrics": metrics_table},
}
SENTENCES: Tables = {
    "play/web/page/languages/en.js": {"rules": english_of_the_rules},
    "play/web/page/words/rules.js": {"rows": rows_of_the_rules},
}
# Results of policies: left as they are while a policy is absent.
MEASURED: Tables = {
    "README.md": {"results": results_table},
    "docs/strength.md": {"strength": strength_table, "universal": universal_table},
    "docs/results/opponents.md": {"trainings": trainings_table},
}


def main() -> int:
    stale = []
    if absent():
        sys.stderr.write(f"{', '.join(MEASURED)}: old results are kept: {', '.join(absent())} absent\n")
    for name, tables in (SENTENCES | TABLES | ({} if absent() else MEASURED)).items():
        path = ROOT / name
        how = {"comment": "  // {}", "gap": "\n"} if name in SENTENCES else {}
        old = path.read_text("utf-8")
        new = old
        for table, make in tables.items():
            new = filled(new, table, make(), **how)
        if new != old:
            stale.append(name)
            if "--check" not in sys.argv:
                path.write_text(new, "utf-8")
    if stale and "--check" in sys.argv:
        sys.stderr.write(f"out of date: {', '.join(stale)}; run python docs/generate.py\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
