"""Measure the length of prompts in characters, words and tokens: of the fixed part of a game (the rules, how to answer)
and of a turn, without and with the list of legal turns.

Tokens are those of o200k_base, if node finds the package gpt-tokenizer in the folder of --tokenizer
(`npm install --prefix FOLDER gpt-tokenizer`). The package contains its vocabulary, so nothing else is downloaded.
"""

from __future__ import annotations

import argparse
import json
import subprocess
from pathlib import Path

import numpy as np

from casino_env.agents.registry import make_agent
from casino_env.envs.options import generator
from casino_env.game import Game
from casino_env.observed import moment, observe
from casino_env.rules import Rules, make_rules
from casino_env.text import introduction, situation

GAMES = (("south-african", 2), ("swazi", 2), ("swazi", 4), ("khasino", 4), ("kasa", 2), ("cassino", 2))
_PLAYER = "greedy"
_COUNT = """
const {encode} = require('module').createRequire(`${process.argv[1]}/`)('gpt-tokenizer/encoding/o200k_base');
const texts = JSON.parse(require('fs').readFileSync(0, 'utf-8'));
console.log(JSON.stringify(texts.map((text) => encode(text).length)));
"""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks prompts", description=__doc__)
    parser.add_argument("--deals", type=int, default=10, help="of each game (10)")
    parser.add_argument("--tokenizer", type=Path, metavar="FOLDER", help="where gpt-tokenizer is installed")
    args = parser.parse_args(arguments)
    print("| game | turns a seat | rules: characters, words, tokens | a turn | with its list |")
    print("| --- | --: | --: | --: | --: |")
    for name, players in GAMES:
        rules = make_rules(name, players)
        turns, plain, listed = _turns(rules, args.deals)
        told = [_sizes(texts, args.tokenizer) for texts in ([introduction(rules, 0)], plain, listed)]
        print(f"| {name} {players} | {turns / args.deals / players:.1f} | {' | '.join(told)} |", flush=True)
    return 0


def _turns(rules: Rules, deals: int) -> tuple[int, list[str], list[str]]:
    """Play deals with a bot; return the number of turns and the prompts of each, without and with the list."""
    agent, plain, listed = make_agent(_PLAYER), list[str](), list[str]()
    for deal in range(deals):
        game, begun = Game(rules, seed=deal), None
        agent.reset(0, generator(deal))
        while not game.over:
            seen = observe(game)
            if moment(game.records) != begun:
                begun = moment(game.records)
                plain.append(situation(seen))
                listed.append(situation(seen, listed=True))
            game.apply(agent.act(seen))
    return len(plain), plain, listed


def _sizes(texts: list[str], tokenizer: Path | None) -> str:
    """Format the mean numbers of characters, words and tokens."""
    counts = [np.mean([len(text) for text in texts]), np.mean([len(text.split()) for text in texts])]
    if tokenizer:
        asked = ["node", "-e", _COUNT, str(tokenizer.resolve())]
        found = subprocess.run(asked, input=json.dumps(texts), capture_output=True, text=True, check=True)
        counts.append(np.mean(json.loads(found.stdout)))
    return ", ".join(f"{count:,.0f}" for count in counts)
