"""python -m tests.golden: compare digests of random deals of every table with tests/golden.json; --write updates it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from casino_env.golden import digests

FILE = Path(__file__).parent / "golden.json"


def main() -> int:
    found = digests()
    if sys.argv[1:] == ["--write"]:
        FILE.write_text(json.dumps(found, indent=1) + "\n")
        return 0
    kept = json.loads(FILE.read_text())
    wrong = sorted(name for name in kept | found if kept.get(name) != found.get(name))
    print(f"{len(kept) - len(wrong)} of {len(kept)} tables are as they should be", *wrong, sep="\n  ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
