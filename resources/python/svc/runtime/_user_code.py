"""Runs the user's code: sync functions in threads, so that they block no other request, and exceptions on stderr."""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextvars
import os
import sys
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

# Sync functions at the same time. source: ours; as many as the usual web frameworks allow.
THREADS = 40

_pool: ThreadPoolExecutor | None = None

_OURS = tuple(
    os.path.dirname(os.path.abspath(file)) + os.sep
    for file in (__file__, asyncio.__file__, concurrent.futures.__file__)
)


async def in_pool(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call `function` in a thread, with the caller's context variables."""
    global _pool
    if _pool is None:
        _pool = ThreadPoolExecutor(THREADS, thread_name_prefix="svc route")
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(_pool, lambda: context.run(function, *args, **kwargs))


def print_traceback(error: BaseException, what: str) -> None:
    """Without the frames that are not the user's. `what` says where it happened."""
    told = traceback.TracebackException.from_exception(error)
    kept = [frame for frame in told.stack if not frame.filename.startswith(_OURS)]
    told.stack = traceback.StackSummary.from_list(kept or told.stack)
    print(f"{what}\n{''.join(told.format())}", file=sys.stderr, end="", flush=True)
