"""Reports why a worker cannot start, and reads the settings that every kind of worker has."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping

from svc_worker import _exit
from svc_worker._errors import trimmed_traceback


class StartError(Exception):
    """The worker cannot start; the text is a sentence for a person. A cause is shown above it with its traceback."""


@contextlib.contextmanager
def or_end() -> Iterator[None]:
    """End the process when the start fails, so that the sentence is the last line of the log."""
    try:
        yield
    except StartError as error:
        cause = "" if error.__cause__ is None else trimmed_traceback(error.__cause__)
        _exit.fail(f"{cause}{error}")


def live_resource(env: Mapping[str, str]) -> str | None:
    """Name of the resource whose source comes with every request; None: the worker has an artifact."""
    return env.get("RUNPOD_DEV_RESOURCE") or None


def concurrency(env: Mapping[str, str]) -> int | None:
    """Jobs at once, as the app declares it. None: it does not. Raises StartError."""
    text = env.get("RUNPOD_MAX_CONCURRENCY")
    if not text:
        return None
    if not text.isascii() or not text.isdigit() or int(text) < 1:
        raise StartError(f"RUNPOD_MAX_CONCURRENCY must be a whole number of at least 1, not {text!r}")
    return int(text)
