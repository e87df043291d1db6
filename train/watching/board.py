"""A file for TensorBoard, whose own writer has a thread that cannot say in one line that the disk is full."""

from __future__ import annotations

import socket
import time
from pathlib import Path
from typing import Any

from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.compat.proto.types_pb2 import DT_STRING
from tensorboard.plugins.text.metadata import create_summary_metadata
from tensorboard.summary.writer.record_writer import RecordWriter

from casino_env.agents.files import named

_FLUSHED_EVERY = 10.0  # seconds


class Board:
    """Scalars over decisions, and texts."""

    def __init__(self, folder: Path, step: int) -> None:
        """A run that is taken up repeats what came after this step: there it is forgotten."""
        folder.mkdir(exist_ok=True)
        self._path = folder / f"events.out.tfevents.{time.time_ns()}.{socket.gethostname()}"
        self._file = self._path.open("wb")
        self._records = RecordWriter(self._file)
        self._flushed = time.monotonic()
        self._write(Event(file_version="brain.Event:2", step=step))
        self._write(Event(session_log=SessionLog(status=SessionLog.START), step=step))

    def add(self, scalars: dict[str, float], step: int) -> None:
        values = [Summary.Value(tag=tag, simple_value=value) for tag, value in scalars.items()]
        self._write(Event(summary=Summary(value=values), step=step))
        if time.monotonic() - self._flushed > _FLUSHED_EVERY:
            self._flushed = time.monotonic()
            with named(self._path):
                self._file.flush()

    def tell(self, tag: str, text: str, step: int) -> None:
        """A text, in Markdown."""
        tensor = TensorProto(dtype=DT_STRING, string_val=[text.encode()], tensor_shape=TensorShapeProto())
        value = Summary.Value(tag=tag, tensor=tensor, metadata=create_summary_metadata(tag, ""))
        self._write(Event(summary=Summary(value=[value]), step=step))

    def _write(self, event: Any) -> None:
        event.wall_time = time.time()
        with named(self._path):
            self._records.write(event.SerializeToString())

    def close(self) -> None:
        with named(self._path):
            self._file.close()
