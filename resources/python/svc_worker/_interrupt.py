"""How a cancel reaches a handler: sync code as an exception in its thread, at its next step of Python; async as usual.

A call that blocks outside of Python is left alone; the service ends the worker when the grace time is over. The other
way out is that end at once, which the other jobs of this worker would share.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from svc_worker import _logs
from svc_worker._errors import trimmed_traceback
from svc_worker._jobs import RunningJob

if TYPE_CHECKING:
    import asyncio


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
    except ImportError:  # a Python built without this function
        return
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error) if error else None)


class EventLoopThread:
    """Runs awaitables for threads that wait for them: one loop for the worker's whole life, made for the first of them.

    One for all jobs, because users keep clients and pools at module level that belong to a loop. asyncio is imported
    late: it is a third of the start-up time of a worker whose handler is not async.
    """

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lock = threading.Lock()

    def run(self, job: RunningJob, awaitable: Awaitable[Any]) -> Any:
        """Wait for `awaitable`, in the caller's context; a cancel of `job` cancels it. Raises what it raised."""
        import asyncio

        async def guarded() -> tuple[Any, BaseException | None]:
            loop, task = asyncio.get_running_loop(), asyncio.current_task()
            if task is not None:
                job.interrupt_with(lambda: loop.call_soon_threadsafe(task.cancel))
            # Errors are handed over as values: a SystemExit that escapes from a task ends the loop.
            try:
                return await awaitable, None
            except BaseException as error:
                return None, error
            finally:
                job.interrupt_with(None)

        value, error = asyncio.run_coroutine_threadsafe(guarded(), self._running_loop()).result()
        if error is not None:
            raise error
        return value

    def _running_loop(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                import asyncio

                self._loop = asyncio.new_event_loop()
                threading.Thread(target=_run_for_ever, args=[self._loop], name="event loop", daemon=True).start()
            return self._loop


def _run_for_ever(loop: asyncio.AbstractEventLoop) -> None:
    while True:
        try:
            loop.run_forever()
        except BaseException as error:  # SystemExit in a task that the handler created itself
            _logs.report(f"a background task tried to end the worker\n{trimmed_traceback(error)}", "ERROR")
