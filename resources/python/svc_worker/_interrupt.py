"""A cancel reaches sync code as an exception in its thread, at its next step of Python.

A call that blocks outside of Python is left alone; the service ends the worker when the grace time is over. The other
way out is that end at once, which the other jobs of this worker would share.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from svc_worker._jobs import RunningJob


class JobCancelled(BaseException):
    """Raised in the handler of a cancelled job; not an Exception, so that `except Exception` lets it pass."""


def call_interruptibly(job: RunningJob, function: Callable[..., Any], *arguments: Any) -> Any:
    """Return the result of `function`. A cancel of `job` raises JobCancelled in it, in this thread, at most once."""
    thread = threading.get_ident()
    try:
        job.interrupt_with(lambda: _raise_in(thread, JobCancelled))
        try:
            return function(*arguments)
        finally:
            job.interrupt_with(None)
    finally:
        if job.cancelled:
            _raise_in(thread, None)  # one that is still pending must not hit the worker itself


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    try:
        import ctypes
    except ImportError:  # a Python that was built without it
        return
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error) if error else None)
