"""Workers on a Ray cluster: pieces of matches are tasks, on as many machines as it has.

The result of a task depends on its piece alone, so if a machine is lost, Ray plays its tasks again elsewhere. Files
that agents load must be at the same path on all machines.
"""

from __future__ import annotations

import socket
import sys
from contextlib import redirect_stdout
from types import SimpleNamespace
from typing import Any

import numpy as np

from casino_env.arrays import Array
from casino_env.evaluate.matches.pairing import Pairing
from casino_env.evaluate.matches.workers import Order, Piece, Processes, Workers, order_of, play_order
from casino_env.extras import install_command
from casino_env.validate import error_text

_AHEAD = 2  # tasks queued for each core, so that none is idle
_MOST_CORES = 500
_PATIENCE = 10.0  # timeout of the connection, in seconds
AGAIN = 3  # retries of a task whose machine or process is lost


class Connection:
    """A connection to a cluster. Ray's messages go to standard error, as standard output is for results."""

    def __init__(self, address: str) -> None:
        self.ray = _connected(address)
        self._stdout = redirect_stdout(sys.stderr)
        self._stdout.__enter__()

    def get(self, task: Any) -> Any:
        """Return the result of a task; raise the error that it raised, or Ray's if it was lost."""
        try:
            return self.ray.get(task)
        except self.ray.exceptions.RayTaskError as error:
            raise error.cause from None

    def close(self) -> None:
        self.ray.shutdown()
        self._stdout.__exit__(None, None, None)


class Cluster(Workers):
    """Workers on a cluster, which make agents from their names. If a remote process dies, a local one plays the piece
    again to find out which agent failed."""

    def __init__(self, address: str) -> None:
        self._far = Connection(address)
        self.cores = min(max(1, int(self._far.ray.cluster_resources().get("CPU", 1))), _MOST_CORES)
        super().__init__(_AHEAD * self.cores)
        self._here = Processes(1)
        self._task = self._far.ray.remote(max_retries=AGAIN)(_play)

    def _play_piece(self, pairing: Pairing, piece: Piece) -> Array:
        try:
            return np.asarray(self._far.get(self._task.remote(order_of(pairing), piece)))
        except self._far.ray.exceptions.RaySystemError as error:
            raise ValueError(f"lost the cluster: {first_line(error)}") from None
        except self._far.ray.exceptions.WorkerCrashedError:
            return self._here._play_piece(pairing, piece)

    def close(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._far.close()
        self._here.close()
        super().close()


def _connected(address: str) -> Any:
    """Connect to a cluster and return the module ray; raises ValueError."""
    try:
        import ray
    except ImportError:
        raise ValueError(f"--ray needs Ray: {install_command('cluster')}") from None
    _answers(address)
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", ignore_reinit_error=True)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise ValueError(f"--ray {address}: {first_line(error)}") from None
    return ray


def _answers(address: str) -> None:
    """Raise ValueError if nothing listens at the address: Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        try:
            socket.create_connection((host, int(port)), _PATIENCE).close()
        except (OSError, OverflowError) as error:
            raise ValueError(f"--ray {address}: no answer: {error_text(error)}") from None


def first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _play(order: Order, piece: Piece) -> Array:
    """Play a piece in a process of the cluster."""
    return play_order(order, piece, SimpleNamespace(value=0))
