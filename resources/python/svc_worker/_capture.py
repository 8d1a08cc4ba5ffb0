"""Captures printed output in addition to the log: for errors of failed jobs, and for answers of live functions."""

from __future__ import annotations

import os
from contextvars import ContextVar, Token

# Characters that the error of a job carries. source: the public SDK 2.0, which keeps as many.
JOB_CHARS = 16 * 1024


class Capture:
    """The end of what is printed inside `with capture`, also in several goes; inside another one it is the only one."""

    def __init__(self, kept_chars: int, *, stderr: bool) -> None:
        self._kept_chars = kept_chars
        self._stderr = stderr
        self._text = ""
        self._token: Token[Capture | None] | None = None

    def __enter__(self) -> Capture:
        self._token = _current.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            _current.reset(self._token)
            self._token = None

    def add(self, text: str, descriptor: int) -> None:
        """The end stays, where it is more than fits."""
        if self._stderr or descriptor == 1:
            self._text = (self._text + text)[-self._kept_chars :]

    def take(self) -> str:
        """The text since the last call."""
        text, self._text = self._text, ""
        return text


# A context variable, as the id of a job is one: several jobs may print at the same time.
_current: ContextVar[Capture | None] = ContextVar("svc_worker_capture", default=None)


def add(text: str, descriptor: int) -> None:
    """Keep what is printed to a descriptor, where somebody wants it."""
    capture = _current.get()
    if capture is not None:
        capture.add(text, descriptor)


def capture_mode() -> str:
    """RUNPOD_LOG_CAPTURE: `all` is for failed jobs too, `auto` for failed hooks alone, `off` for nothing.

    source: the public SDK 2.0, which takes any other value for `auto`.
    """
    mode = os.environ.get("RUNPOD_LOG_CAPTURE", "").strip().lower()
    return mode if mode in ("all", "off") else "auto"
