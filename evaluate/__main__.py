"""python -m evaluate, in a checkout: the same as `casino evaluate`."""

import sys

from casino_env.cli import main

sys.exit(main(["evaluate", *sys.argv[1:]]))
