"""python -m casino_env: the same as `casino`."""

import sys

from casino_env.cli import main

sys.exit(main())
