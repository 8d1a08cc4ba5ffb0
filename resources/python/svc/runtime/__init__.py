"""Runs an app's functions on a worker; called by the handler files that the build writes. See the README of svc.

Each is imported when it is asked for: a queue-based worker starts twice as fast without the HTTP server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from svc.runtime._class_handler import queue_class
    from svc.runtime._function_handler import queue_function
    from svc.runtime._load_balanced import load_balanced

__all__ = ["load_balanced", "queue_class", "queue_function"]


def __getattr__(name: str) -> Any:
    if name == "load_balanced":
        from svc.runtime import _load_balanced as module
    elif name == "queue_class":
        from svc.runtime import _class_handler as module  # type: ignore[no-redef]
    elif name == "queue_function":
        from svc.runtime import _function_handler as module  # type: ignore[no-redef]
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(module, name)
