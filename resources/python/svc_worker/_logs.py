"""Log lines as JSON, one system call each: {"requestId": job, "message": line, "level": ...}.

Everything written to stdout or stderr by Python code while a job runs carries the job's id. `requestId` is left out
outside of a job. C code and child processes write to the file descriptors directly, so their output is unchanged.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import sys
import threading
from typing import BinaryIO

from svc_worker import _capture
from svc_worker._context import current_job_id

# Longest message, in bytes of UTF-8. source: ours; a page of log stays readable.
LONGEST_MESSAGE_BYTES = 16 * 1024
# Stands in the middle: a traceback ends with its exception.
CUT_MARK = " ... [cut] ... "

_LEVELS = {"WARNING": "WARN", "CRITICAL": "ERROR"}


def report(message: str, level: str) -> None:
    """A line of the runtime itself."""
    _write_line(1, message, level, current_job_id())


def install() -> None:
    """Take over stdout, stderr and the default of the logging module. Call before user code is imported."""
    sys.stdout = LineWriter(1, "INFO", sys.stdout.buffer)
    sys.stderr = LineWriter(2, "ERROR", sys.stderr.buffer)
    # Not a root handler yet: with one in place a user's logging.basicConfig(level=...) would do nothing.
    logging.lastResort = _RecordHandler()
    logging.getLogger().setLevel(logging.INFO)


def adopt_user_logging() -> None:
    """Install the root handler; it takes the place, and the format, of handlers that print to stdout or stderr."""
    root = logging.getLogger()
    ours = _RecordHandler()
    for handler in list(root.handlers):
        if type(handler) is logging.StreamHandler and isinstance(handler.stream, LineWriter):
            ours.setFormatter(handler.formatter)
            ours.setLevel(handler.level)
            root.removeHandler(handler)
    root.addHandler(ours)


def flush_job(job_id: str) -> None:
    """Write what the job printed without a line end. Call when the job has ended."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, LineWriter):
            stream.flush_job(job_id)


class LineWriter(io.TextIOBase):
    """A text stream that turns every complete line into one JSON line.

    Unfinished lines are kept per job and thread, so that jobs that print at the same time do not mix; no key has two
    threads, which is why there is no lock. A carriage return starts the line anew, as on a terminal.
    """

    def __init__(self, descriptor: int, level: str, buffer: BinaryIO) -> None:
        self.buffer = buffer  # for code that writes bytes; those stay raw
        self._descriptor = descriptor
        self._level = level
        self._unfinished: dict[tuple[str | None, int], str] = {}

    @property
    def encoding(self) -> str:  # type: ignore[override]  # a property is all that readers need
        return "utf-8"

    def writable(self) -> bool:
        """Yes."""
        return True

    def fileno(self) -> int:
        """The real descriptor, for child processes that are given this stream."""
        return self._descriptor

    def write(self, text: str) -> int:
        """Write each complete line; keep the rest."""
        _capture.add(text, self._descriptor)
        job_id = current_job_id()
        key = (job_id, threading.get_ident())
        *lines, rest = (self._unfinished.pop(key, "") + text).split("\n")
        for line in lines:
            _write_line(self._descriptor, _after_return(line), self._level, job_id)
        if rest:
            # More than the longest message is never shown, so it need not be kept.
            self._unfinished[key] = _after_return(rest)[: LONGEST_MESSAGE_BYTES + 1]
        return len(text)

    def flush(self) -> None:
        """Bytes written to `buffer` go out; an unfinished line waits for its end."""
        with contextlib.suppress(OSError, ValueError):
            self.buffer.flush()

    def flush_job(self, job_id: str) -> None:
        for key in [key for key in list(self._unfinished) if key[0] == job_id]:
            _write_line(self._descriptor, self._unfinished.pop(key), self._level, job_id)


class _RecordHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        try:
            level = _LEVELS.get(record.levelname, record.levelname)
            _write_line(1, self.format(record), level, current_job_id())
        except Exception:
            self.handleError(record)


def _after_return(line: str) -> str:
    """A line with carriage returns as a terminal would show it; one at the end may belong to a line end."""
    if "\r" not in line:
        return line
    return line.removesuffix("\r").rsplit("\r", 1)[-1] + ("\r" if line.endswith("\r") else "")


def _write_line(descriptor: int, message: str, level: str, job_id: str | None) -> None:
    message = message.removesuffix("\r")
    if len(message) > LONGEST_MESSAGE_BYTES // 4:  # up to 4 bytes a character
        encoded = message.encode("utf-8", "backslashreplace")
        if len(encoded) > LONGEST_MESSAGE_BYTES:
            half = LONGEST_MESSAGE_BYTES // 2
            message = CUT_MARK.join(part.decode("utf-8", "ignore") for part in (encoded[:half], encoded[-half:]))
    fields = {"requestId": job_id} if job_id is not None else {}
    line = json.dumps({**fields, "message": message, "level": level}, ensure_ascii=False) + "\n"
    # A full disk must not fail a job, so a line that cannot be written is lost.
    with contextlib.suppress(OSError):
        rest = line.encode("utf-8", "backslashreplace")
        while rest:
            rest = rest[os.write(descriptor, rest) :]
