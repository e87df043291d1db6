"""Python's engine and the one in WebAssembly, over the engine protocol: python -m tests.both_engines --deals 10000.

The same requests go to both: deals of every preset and of random switches, played at random. Seat and legal actions
have to be the same at every decision, all that is told of the state at one in ten and at the end, and so have views
of all seats, the views that follow from them, and complete turns. Then records of deals are played again and written by
JavaScript, and have to come back the same, with the same bytes of the game at the end. --hostile N: spoilt positions,
views, rules, bytes and records, which both have to refuse, or both let in.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from casino_env.actions import ACTIONS, BUILD, DISCARD, END, action_text
from casino_env.agents.protocol.analysis import Turn, as_data
from casino_env.agents.protocol.session import Session
from casino_env.cards import cards_of
from casino_env.game import Game
from casino_env.next_view import told_of
from casino_env.record import RecordError, replay, write_record
from casino_env.rules import Rules, rules_of
from casino_env.turns import TooManyTurnsError, results_of
from casino_env.views import view_of
from tests.comparing import random_switches, wander
from tests.hostile.engine import spoil_position
from tests.hostile.spoiling import spoil_json
from tests.random_play import every_game

PACKAGE = Path(__file__).parents[1] / "packages" / "casino"
BUILT = shutil.which("node") is not None and (PACKAGE / "dist" / "casino.wasm").is_file()
Data = dict[str, Any]
_CROWDED = 9  # loose cards, from which turns are not listed: there are too many
_BATCH = 20  # deals that are asked for at once


class Node:
    """A program of the package that answers lines of JSON."""

    def __init__(self, script: str, *words: str) -> None:
        command = ["node", str(PACKAGE / script), *words]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, lines: list[Any]) -> list[Any]:
        writer = threading.Thread(target=self._write, args=(lines,))
        writer.start()
        assert self._process.stdout is not None
        replies = [json.loads(self._process.stdout.readline()) for _ in lines]
        writer.join()
        return replies

    def _write(self, lines: list[Any]) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("".join(json.dumps(line) + "\n" for line in lines).encode())
        self._process.stdin.flush()

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(60)


# --- deals ---------------------------------------------------------------------------------------------------------


def some_rules(rng: Random, presets: list[Rules]) -> Rules:
    return rng.choice(presets) if rng.random() < 0.6 else random_switches(rng)


def state(game: Game, *, whole: bool) -> Data:
    """What a reply says of a game; not whole: the beginning of it, for it takes the longest."""
    begin: Data = {"seat": game.seat, "over": game.over, "legal": [action_text(action) for action in game.legal()]}
    if not (whole or game.over):
        return begin
    winners = [seat for seat in range(game.rules.players) if game.winner == game.rules.side(seat)]
    rest = {"scores": game.scores(), "breakdown": game.breakdown(), "winners": winners, "position": game.to_json()}
    return begin | rest


def played(rules: Rules, rng: Random) -> Iterator[tuple[Data, Data]]:
    """Requests of one deal or the beginning of a match, and what the replies have to say."""
    seed, match = rng.getrandbits(50), bool(rules.target or rules.match_rounds) and rng.random() < 0.1
    changes, game = rules.differences(), Game(rules, seed=seed, match=match)
    request: Data = {"do": "new", "variant": rules.name, "players": rules.players, "seed": seed, "rules": changes}
    if "own" in changes:
        yield {"do": "position", "position": game.to_json()}, state(game, whole=True)
    else:
        yield request | {"match": match}, state(game, whole=True)
    for _ in range(300):
        if game.over:
            break
        if rng.random() < 0.05:
            seat = rng.randrange(rules.players)
            yield {"do": "see", "seat": seat}, {"view": view_of(game, seat)}
        if rng.random() < 0.02 and len(cards_of(int(game.record["layout"]))) < _CROWDED:
            yield {"do": "turns"}, turns_of(game)
        action = lively(game, rng)
        game.apply(action)
        yield {"do": "apply", "action": action_text(action)}, state(game, whole=rng.random() < 0.1)


def followed(rules: Rules, rng: Random, engine: Session) -> Iterator[tuple[Data, Data]]:
    """What a seat sees is followed through a deal; now and then the action or what is told is wrong."""
    game, memory = Game(rules, seed=rng.getrandbits(50), skip_forced=False), rng.choice(("perfect", "none"))
    while not game.over:
        before, seat = game.clone(), rng.randrange(rules.players)
        wander(game, rng)
        if rng.random() < 0.7:
            continue
        told, action = told_of(before, game, seat), action_text(game.log[-1][1])
        if rng.random() < 0.2:
            told = spoil_json(told, rng)
        if rng.random() < 0.1:
            action = action_text(rng.randrange(ACTIONS))
        request = {"do": "apply", "view": view_of(before, seat, memory), "action": action, "told": told}
        if _is_json(request) and not _is_number(request):
            reply = engine.reply(request)
            yield request, reply if reply["ok"] else {"error": reply["error"]}


def turns_of(game: Game) -> Data:
    try:
        turns = list(map(Turn, results_of(game).turns))
    except TooManyTurnsError as error:
        return {"error": "crowded", "message": str(error)}
    return {"turns": as_data(game, turns)}


def lively(game: Game, rng: Random) -> int:
    """A legal action, with a taste for sets and builds: the middle of turns."""
    legal = game.legal()
    some = [action for action in legal if action < DISCARD or BUILD <= action < END or action > END]
    return rng.choice(some if some and rng.random() < 0.5 else legal)


def play_deals(deals: int, seed: int, say: Callable[[str], object] = print) -> int:
    """How many replies were compared; raises AssertionError at the first difference."""
    rng, node, compared = Random(seed), Node("bin/protocol.js", "--agent", "random"), 0
    presets, engine = every_game(), Session("random")
    for begun in range(0, deals, _BATCH):
        pairs = [pair for _ in range(min(_BATCH, deals - begun)) for pair in played(some_rules(rng, presets), rng)]
        pairs += [pair for _ in range(1 + _BATCH // 10) for pair in followed(some_rules(rng, presets), rng, engine)]
        for (request, mine), theirs in zip(pairs, node.ask([request for request, _ in pairs]), strict=True):
            same = mine == {key: theirs.get(key) for key in mine}
            assert same, f"{json.dumps(request)}\nPython: {json.dumps(mine)}\nwasm:   {json.dumps(theirs)}"
        compared += len(pairs)
        if begun % 1000 == 0:
            say(f"{begun} deals, {compared} replies are the same")
    node.close()
    return compared


# --- records -------------------------------------------------------------------------------------------------------


def some_records(count: int, seed: int) -> Iterator[str]:
    rng, presets = Random(seed), every_game()
    for _ in range(count):
        rules = some_rules(rng, presets)
        first = rng.getrandbits(60)
        game = Game(rules, seed=first, match=bool(rules.target) and rng.random() < 0.2, skip_forced=False)
        start: Game | int = first
        for number in range(rng.choice((0, 10, 60, 300))):
            if game.over:
                break
            if number == 5 and rng.random() < 0.5:  # begun from a position
                game.log, start = [], game.clone()
            wander(game, rng)
        yield write_record(start, game)


def rewrite(count: int, seed: int) -> None:
    node, texts = Node("tests/rewrite.js"), list(some_records(count, seed))
    for text, found in zip(texts, node.ask(texts), strict=True):
        assert found.get("text") == text, f"{text}\n{found}"
        assert bytes.fromhex(found["bytes"]) == replay(text).to_bytes(), text
    node.close()


# --- hostile input -------------------------------------------------------------------------------------------------


def spoilt(count: int, seed: int) -> Iterator[Data]:
    """Requests with spoilt positions, views and rules."""
    rng, presets = Random(seed), every_game()
    for _ in range(count):
        game = Game(some_rules(rng, presets), seed=rng.getrandbits(40), skip_forced=False)
        for _ in range(rng.randrange(60)):
            if game.over:
                break
            wander(game, rng)
        kind = rng.randrange(3)
        if kind == 0:
            yield {"do": "position", "position": spoil_position(game.to_json(), rng)}
        elif kind == 1:
            yield {"do": "turns", "view": spoil_json(view_of(game, game.seat), rng)}
        else:
            rules = spoil_json(random_switches(rng).choices(), rng)
            if isinstance(rules, dict):
                rules = {key: value for key, value in rules.items() if key not in ("name", "players")}
            yield {"do": "new", "variant": game.rules.name, "players": game.rules.players, "rules": rules}


def _is_json(data: Any) -> bool:
    try:
        text = json.dumps(data, allow_nan=False)
    except ValueError:
        return False
    return len(text) < 1 << 19 and "\\ud8" not in text


def hostile(count: int, seed: int) -> tuple[int, int]:
    """(how many were let in, how many were refused in other words)"""
    engine, node = Session("random"), Node("bin/protocol.js", "--agent", "random")
    requests = [json.loads(json.dumps(request)) for request in spoilt(count, seed) if _is_json(request)]
    let_in, other = 0, 0
    for request, theirs in zip(requests, node.ask(requests), strict=True):
        mine = engine.reply(request)
        same = mine["ok"] == theirs["ok"] and (mine == theirs if mine["ok"] else mine["error"] == theirs["error"])
        if not same and not _is_number(request):
            raise AssertionError(f"{json.dumps(request)}\nPython: {json.dumps(mine)}\nwasm:   {json.dumps(theirs)}")
        let_in += mine["ok"]
        other += not mine["ok"] and mine["message"] != theirs.get("message")
    node.close()
    return let_in, other


def _is_number(request: Data) -> bool:
    """It has numbers that JSON of JavaScript does not tell from others: 3.0, and beyond 2^53."""

    def odd(value: Any) -> bool:
        if isinstance(value, dict):
            return any(map(odd, value.values()))
        if isinstance(value, list):
            return any(map(odd, value))
        return isinstance(value, float) or (isinstance(value, int) and abs(value) >= 2**53)

    return odd(request)


def spoilt_records(count: int, seed: int) -> int:
    """Records with a piece of text changed; how many were refused."""
    rng, node, rows = Random(seed), Node("tests/rewrite.js"), list(some_records(count, seed))
    texts = []
    for text in rows:
        at = rng.randrange(len(text))
        piece = rng.choice(["", "x", ";", "\n", ":", "AS", "9", "-", "\x00", "end", "é"])
        texts.append(text[:at] + piece + text[at + rng.choice([0, 1, 1, 8]) :])
    refused = 0
    for text, found in zip(texts, node.ask(texts), strict=True):
        try:
            mine = replay(text).to_bytes()
        except RecordError as error:
            refused += 1
            assert "error" in found and "\n    at" not in found["error"], f"{text}\n{error}\n{found}"
        else:
            assert "error" not in found, f"{text}\n{found}"
            assert mine == bytes.fromhex(found["bytes"])
    node.close()
    return refused


def spoilt_bytes(count: int, seed: int) -> int:
    """Bytes of games, some of them changed; how many were refused, in the same words. The others are played on."""
    rng, node, presets = Random(seed), Node("tests/rewrite.js"), every_game()
    asked: list[Data] = []
    for _ in range(count):
        rules = some_rules(rng, presets)
        game = Game(rules, seed=rng.getrandbits(40), skip_forced=False)
        for _ in range(rng.randrange(60)):
            if not game.over:
                wander(game, rng)
        data = bytearray(game.to_bytes())
        for _ in range(rng.choice((0, 1, 1, 1, 2, 30))):
            data[rng.randrange(len(data))] = rng.choice((0, 1, 255, 128, rng.randrange(256)))
        asked.append(
            {"variant": rules.name, "players": rules.players, "rules": rules.differences(), "bytes": data.hex()}
        )
    refused = 0
    for request, found in zip(asked, node.ask(asked), strict=True):
        rules = rules_of(request["variant"], request["players"], request["rules"])
        try:
            game = Game.from_bytes(bytes.fromhex(request["bytes"]), rules, skip_forced=False)
        except ValueError as error:
            refused += 1
            assert found.get("error") == str(error), f"{request}\n{error}\n{found}"
        else:
            for _ in range(30):
                if not game.over:
                    game.apply(game.legal()[0])
            assert found.get("bytes") == game.to_bytes().hex(), f"{request}\n{found}"
    node.close()
    return refused


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.both_engines", description=__doc__.partition("\n")[0])
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--records", type=int, default=200)
    parser.add_argument("--hostile", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    print(f"{play_deals(args.deals, args.seed)} replies of {args.deals} deals are the same", flush=True)
    rewrite(args.records, args.seed)
    print(f"{args.records} records come back the same", flush=True)
    if args.hostile:
        let_in, other = hostile(args.hostile, args.seed)
        print(f"{args.hostile} spoilt requests: both let in {let_in}; {other} are refused in other words", flush=True)
        print(
            f"of {args.hostile} spoilt games {spoilt_bytes(args.hostile, args.seed)} are refused in the same words",
            flush=True,
        )
        print(
            f"of {args.hostile} spoilt records {spoilt_records(args.hostile, args.seed)} are refused by both",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
