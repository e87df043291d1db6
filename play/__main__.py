"""python -m play, in a checkout: the same as `casino play`."""

import sys

from casino_env.cli import main

sys.exit(main(["play", *sys.argv[1:]]))
