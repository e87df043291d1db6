"""Endings to solve: positions that random or greedy play comes to."""

from __future__ import annotations

import random
from casino_env.game import Game
from casino_env.cards import cards_of


def gain(game, action, rng):
    twin = game.clone()
    seat = twin.seat
    before = twin.record["piles"][seat]
    turn = int(twin.record["turns"])
    twin.apply(action)
    while not twin.over and twin.seat == seat and int(twin.record["turns"]) == turn:
        legal = twin.legal()
        twin.apply(legal[0])
    mine = int(twin.record["piles"][seat] & ~before)
    pts = (mine & 15).bit_count() + 2 * (mine >> 38 & 1) + (mine >> 4 & 1)
    return 10 * pts + 3 * (mine & 0x1111111111111).bit_count() + mine.bit_count() + rng.random() * 2


def ending(rules, cards, rng, greedy):
    while True:
        game = Game(rules, seed=rng.getrandbits(60))
        while not game.over:
            r = game.record
            if int(r["stock_top"]) < 0 and r["mode"] == 0 and not r["acted"]:
                held = [int(h).bit_count() for h in r["hands"][: rules.players]]
                if max(held) <= cards:
                    if max(held) == cards: return game
                    break
            legal = game.legal()
            if greedy and rng.random() < 0.85:
                a = max(legal, key=lambda a: gain(game, a, rng))
            else:
                a = rng.choice(legal)
            game.apply(a)
