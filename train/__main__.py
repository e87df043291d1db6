"""python -m train, in a checkout: the same as `casino train`."""

import sys

from casino_env.cli import main

sys.exit(main(["train", *sys.argv[1:]]))
