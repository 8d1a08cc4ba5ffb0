"""Sync functions in threads, so that they block no other request."""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

# Sync functions at the same time. source: ours; as many as the usual web frameworks allow.
THREADS = 40

_pool: ThreadPoolExecutor | None = None


async def in_pool(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """What `function` returns, called in a thread with the caller's context variables."""
    global _pool
    if _pool is None:
        _pool = ThreadPoolExecutor(THREADS, thread_name_prefix="svc route")
    context = contextvars.copy_context()
    return await asyncio.get_running_loop().run_in_executor(_pool, lambda: context.run(function, *args, **kwargs))
