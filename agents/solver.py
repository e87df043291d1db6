"""The exact value and the best moves of a position in which all hands are known."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from agents.solver_position import PLACES, Facts, prospects
from agents.solver_search import FRAME, LEVELS, MOVES, NODES, VALUE, Memory, Stack, begin, resume
from casino_env import kernels
from casino_env.actions import ACTIONS
from casino_env.cards import CARDS
from casino_env.game import Game
from casino_env.rules import Rules
from casino_env.scoring import CATEGORIES
from casino_env.state import GAME, OVER, rules_record


def facts_of(rules: Rules) -> Facts:
    record, table = np.zeros(1, GAME), np.zeros((len(CATEGORIES), 6), np.int64)
    rr = rules_record(rules)
    kernels.clear_record(record)
    worth = []
    for card in range(CARDS):
        record["piles"][0, 0] = 1 << card
        table[:] = 0
        kernels.points(record, rr, table)
        worth.append(int(table[3:11, 0].sum()))
    planes = [sum(1 << c for c in range(CARDS) if worth[c] >> b & 1) for b in range(max(worth).bit_length())] or [0]
    same = list(range(CARDS))
    for card in range(0, CARDS, 4):
        if worth[card + 1] == worth[card + 2] == worth[card + 3]:
            same[card + 2] = same[card + 3] = card + 1
    codes = np.random.default_rng(5).integers(0, 2**64, (CARDS, PLACES), np.uint64)
    return Facts(np.array(planes, np.int64), np.array(same, np.int64), codes)


class Solver:
    def __init__(self, rules, bits=21):
        self.rules = rules
        self.rr = rules_record(rules)
        self.facts = facts_of(rules)
        self.stack = Stack(np.zeros(8, np.int64), np.zeros(LEVELS, GAME), np.zeros(LEVELS, FRAME), np.zeros((LEVELS, MOVES), np.int64))
        self.memory = Memory(np.zeros(1 << bits, np.uint64), np.zeros(1 << bits, np.int64), np.zeros((2, 14, ACTIONS), np.int64))

    def test(self, record, target):
        self.stack.games[0] = record
        self.stack.games[0]["match"] = 0
        begin(self.stack, self.memory, self.facts, self.rr, target)
        while not resume(self.stack, self.memory, self.facts, self.rr, 1 << 22):
            pass
        return int(self.stack.control[VALUE]), int(self.stack.control[NODES]), int(self.stack.frames[0]["best_move"])

    def value(self, record, guess=0):
        low, high, nodes = -1000, 1000, 0
        while low < high:
            t = min(max(guess, low + 1), high)
            v, n, _ = self.test(record, t)
            nodes += n
            if v >= t: low = v
            else: high = v
            guess = v if v < t else v + 1
        return low, nodes
