"""Blocking work for coroutines.

A thread for each piece of work, and not asyncio's pool: that has as few as five threads, and a call holds its thread
for as long as the function runs on its worker. Daemons, so that Ctrl+C need not wait for an answer.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """Run `work` in a thread. When the waiting coroutine is cancelled, the work goes on and its result is dropped."""
    loop = asyncio.get_running_loop()
    future: asyncio.Future[T] = loop.create_future()

    def settle(value: Any, error: BaseException | None) -> None:
        if future.done():  # cancelled meanwhile
            return
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)

    def run() -> None:
        value: T | None = None
        error: BaseException | None = None
        try:
            value = work()
        except StopIteration as stop:  # a future cannot hold one
            error = RuntimeError(f"StopIteration: {stop}")
        except BaseException as raised:
            error = raised
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits
            loop.call_soon_threadsafe(settle, value, error)

    threading.Thread(target=run, name="svc call", daemon=True).start()
    return await future
