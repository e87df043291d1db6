"""python -m agents, in a checkout: the same as `casino agents`."""

import sys

from casino_env.cli import main

sys.exit(main(["agents", *sys.argv[1:]]))
