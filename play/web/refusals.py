"""What the server answers to a request that it does not grant: a status, a code and a line that says why."""

from __future__ import annotations

from casino_env.play.store import FullError, UnknownGameError


class RefusedError(Exception):
    """A request that is not granted, with the HTTP status that says so."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


# Whatever else may be wrong, in this order: a sort of errors stands before those that it is one of.
_ANSWERS: tuple[tuple[type[Exception], int, str], ...] = (
    (UnknownGameError, 404, "unknown"),
    (FullError, 503, "full"),
    (ValueError, 400, "refused"),
    (RecursionError, 400, "refused"),
    (MemoryError, 503, "memory"),
    (OSError, 503, "disk"),
    (Exception, 500, "internal"),
)


def refusal_of(error: Exception) -> RefusedError:
    """The same error as an answer; of one that nobody foresaw the kind and the place as well."""
    if isinstance(error, RefusedError):
        return error
    status, code = next((status, code) for kind, status, code in _ANSWERS if isinstance(error, kind))
    # The texts of the system name files of this machine.
    words = " ".join(str(error.strerror if isinstance(error, OSError) and error.strerror else error).split())
    return RefusedError(status, code, words if status < 500 and words else f"{_WORDS.get(code, _place(error))}{words}")


_WORDS = {"full": "", "memory": "not enough memory for this request ", "disk": "nothing can be saved or read: "}


def _place(error: Exception) -> str:
    """Where it happened, for whoever has to mend it."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = f" ({trace.tb_frame.f_code.co_filename.rpartition('/')[2]}:{trace.tb_lineno})" if trace else ""
    return f"{type(error).__name__}{where}: "
