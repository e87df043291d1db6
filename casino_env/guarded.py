"""What every command shares: a failure is one line on standard error and an exit code, not a traceback."""

import sys
from collections.abc import Callable

Errors = tuple[type[Exception], ...]


def guarded(
    program: str,
    command: Callable[[], int],
    *,
    misuse: Errors = (),
    failures: Errors = (),
    interrupted: str = "interrupted",
) -> int:
    """The exit code of a command: 2 if it was called wrongly, 1 if it could not do what it was asked."""
    failed: Errors = (ValueError, OSError, *failures)
    try:
        return command()
    except BrokenPipeError:  # the reader has gone
        sys.stderr.close()
        return 0
    except KeyboardInterrupt:
        print(f"{program}: {interrupted}", file=sys.stderr)
        return 1
    except misuse as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2
    except failed as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 1
