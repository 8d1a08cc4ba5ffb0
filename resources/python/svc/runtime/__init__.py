"""Runs an app's functions on a worker; called by the handler files that the build writes. See the README of svc.

Each is imported when it is asked for: a queue-based worker starts twice as fast without the HTTP server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from svc.runtime._load_balanced import load_balanced
    from svc.runtime._queue import queue_class, queue_function

__all__ = ["load_balanced", "queue_class", "queue_function"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "load_balanced":
        from svc.runtime import _load_balanced as module
    else:
        from svc.runtime import _queue as module  # type: ignore[no-redef]
    return getattr(module, name)
