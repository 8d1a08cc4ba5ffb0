"""What a function prints goes to the worker's log, as all output does, and into the answer."""

from __future__ import annotations

import sys
from contextvars import ContextVar, Token

from svc_worker._logs import LineWriter

# Characters of one answer's output; the log has all of it. source: ours; it travels with every answer.
KEPT_CHARS = 64 * 1024


class Capture:
    """The output of one request: what is printed inside `with capture`, also in several goes."""

    def __init__(self) -> None:
        self._text = ""
        self._token: Token[Capture | None] | None = None

    def __enter__(self) -> Capture:
        self._token = _current.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            _current.reset(self._token)
            self._token = None

    def add(self, text: str) -> None:
        """The end stays, where it is more than fits."""
        self._text = (self._text + text)[-KEPT_CHARS:]

    def take(self) -> dict[str, str]:
        """The field `stdout` of an answer, with what came since the last one; without any, no field."""
        text, self._text = self._text, ""
        return {"stdout": text} if text else {}


# A context variable, as the id of a job is one: several jobs may print at the same time.
_current: ContextVar[Capture | None] = ContextVar("svc_runtime_capture", default=None)


class _CapturedLines(LineWriter):
    def write(self, text: str) -> int:
        capture = _current.get()
        if capture is not None:
            capture.add(text)
        return super().write(text)


def install() -> None:
    """Take over stdout. Call after svc_worker has taken it over, or instead."""
    sys.stdout = _CapturedLines(1, "INFO", sys.stdout.buffer)
