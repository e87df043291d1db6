"""Positions in which something can be tried at once: a build, and an addition with a stolen top."""

PICK = {"variant": "khasino", "players": 2, "hands": [["5D", "9C"], ["AS", "2D"]], "layout": ["4S", "3H"]}  # to build
STEAL = {
    "variant": "swazi", "players": 3, "rules": {"insist_capture": "never", "insist_augment": "never"},
    "hands": [["9D", "KC"], ["AS", "AH"], ["AD", "AC"]], "layout": ["4S", "KD"],
    "builds": [{"value": 9, "owner": 0, "sets": [["6H", "3S"]]}], "piles": [[], ["QH", "2D", "5S"], []],
}  # fmt: skip
