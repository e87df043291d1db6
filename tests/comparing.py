"""Compare the kernels with the reference engine, position by position."""

import math
import random
from typing import Any, get_args, get_origin

from casino_env import position
from casino_env.actions import action_text
from casino_env.engine.state import OVER
from casino_env.game import Game
from casino_env.presets import PRESETS
from casino_env.rules import Rules, make_rules, player_counts
from casino_env.turns import find_turns
from tests.reference_engine import reference_turns, result_key

# Switches that random rules change. The others only change points and the deal, which other tests cover.
TURNED = (
    "raise_by", "keep_backing", "build_limit", "limit_first_phase_only", "second_build_in_turn", "owner_discard",
    "use_discard_same_turn", "steal", "steal_from_partner", "no_return", "raise_or_add", "capture_tops",
    "pile_capture_needs_table_card", "multi_capture", "insist_capture", "insist_augment", "partner_builds",
    "partner_request", "stacking", "courts", "ace_high", "raise_with_table", "equal_builds", "new_builds",
    "tops_in_sums", "chain", "add_to_partner", "request_for", "raise_limit", "resort_raised", "owner_top",
)  # fmt: skip


def start_of_turn(game: Game) -> dict[str, Any]:
    """Return the position without the counters that the reference engine does not keep."""
    data = game.to_json()
    return {key: value for key, value in data.items() if key not in ("leader", "sweeps", "turns")}


def fast_results(data: dict[str, Any]) -> dict[Any, tuple[list[str], dict[str, Any]]]:
    game = Game.from_json(data, skip_forced=False)
    out = {}
    found = find_turns(game.records, game.rules_record, most=math.inf, most_turns=math.inf)
    for record, actions in zip(found.records, found.turns, strict=True):
        after = position.to_json(record, game.rules)
        if record["mode"] == OVER:
            after["to_move"] = None
        key = result_key(after, game.rules)
        assert key not in out or record["mode"] == OVER, "no result is listed twice"
        out[key] = ([action_text(action) for action in actions], after)
    return out


def difference(data: dict[str, Any]) -> dict[str, Any] | None:
    """Return the results of turns that only one engine reaches from the position; None if both reach the same."""
    fast, slow = fast_results(data), reference_turns(data)
    if set(fast) == set(slow):
        return None
    only = {
        "fast": [fast[key] for key in fast if key not in slow],
        "slow": [slow[key] for key in slow if key not in fast],
    }
    return {"position": data, "only": only}


def wander(game: Game, rng: random.Random, actions: int = 1) -> None:
    """Apply `actions` lively random actions, fewer if the game ends first."""
    for _ in range(actions):
        if not game.over:
            game.apply(lively(game, rng))


def lively(game: Game, rng: random.Random) -> int:
    """Draw a legal action; half the time prefer sets, builds and answers, which lead into the middle of turns."""
    legal = game.legal()
    assert legal, f"dead end: {game.to_json()}"
    some = [action for action in legal if action < 52 or 160 <= action < 188 or action > 188]
    return rng.choice(some if some and rng.random() < 0.5 else legal)


def random_turn_starts(rules: Rules, count: int, rng: random.Random) -> list[dict[str, Any]]:
    """Return `count` positions at starts of turns in random games."""
    found: list[dict[str, Any]] = []
    while len(found) < count:
        game = Game(rules, seed=rng.getrandbits(60), skip_forced=False)
        while not game.over and len(found) < count:
            if not game.record["acted"] and rng.random() < 0.3:
                found.append(start_of_turn(game))
            wander(game, rng)
    return found


def random_switches(rng: random.Random) -> Rules:
    """Return a preset with 1 to 5 switches changed at random; draw again if the combination cannot be played."""
    while True:
        name = rng.choice([name for name in PRESETS if name != "stealing-bundles"])
        players = rng.choice(player_counts(name))
        changes = {key: _random_value(key, rng) for key in rng.sample(TURNED, rng.randint(1, 5))}
        try:
            return make_rules(name, players, **changes)
        except ValueError:
            continue


def _random_value(key: str, rng: random.Random) -> Any:
    kind = Rules.__dataclass_fields__[key].type
    if get_origin(kind) is not None:
        return rng.choice(get_args(kind))
    return rng.choice((True, False)) if kind is bool else rng.choice((0, 1, 1, 2))


# The switches of kasa with their values in other games (steal as in khasino).
SWITCHES: dict[str, Any] = {
    "tops_in_sums": True, "request_for": "builds", "add_to_partner": True, "new_builds": "free", "steal": "augment",
    "resort_raised": False, "raise_limit": "double", "chain": "sets", "owner_top": False,
}  # fmt: skip
_CROWDED = 3000  # skip positions with more results


def share_decided(rules: Rules, count: int, rng: random.Random) -> dict[str, float]:
    """Return for each switch the share of turn starts whose results change when that switch alone is reset."""
    changes = {
        key: value for key, value in SWITCHES.items() if rules.partners or key not in ("request_for", "add_to_partner")
    }
    decided, seen = dict.fromkeys(changes, 0), 0
    while seen < count:
        for data in random_turn_starts(rules, 20, rng):
            results = set(fast_results(data))
            if len(results) > _CROWDED:
                continue
            seen += 1
            for key, value in changes.items():
                decided[key] += set(fast_results(data | {"rules": data.get("rules", {}) | {key: value}})) != results
    return {key: number / seen for key, number in decided.items()}


def main() -> None:
    """Print how often each switch of kasa decides: python -m tests.comparing."""
    for players, partners in ((2, False), (3, False), (4, False), (4, True)):
        shares = share_decided(make_rules("kasa", players, partners=partners), 400, random.Random(5))
        print(players, "partners" if partners else "alone", {key: f"{share:.1%}" for key, share in shares.items()})


if __name__ == "__main__":
    main()
