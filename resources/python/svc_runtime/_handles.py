"""Handles, which the package makes of a decorated function or class, known by their shape.

The package's classes are not imported: a live worker runs plain sources without the package, too.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


def is_handle(value: Any) -> bool:
    """Whether a decorator of an app made it. A function that wraps another has `__wrapped__`, but no `spec`."""
    return hasattr(getattr(value, "spec", None), "name") and hasattr(value, "__wrapped__")


def find_handle(module: ModuleType, resource: str) -> Any:
    """The handle of this resource: a name of `module`, else one that was made in it. None: there is none."""
    for value in vars(module).values():
        if is_handle(value) and value.spec.name == resource:
            return value
    apps = sys.modules.get("runpod.apps.app")
    for app in [] if apps is None else apps.get_registered_apps():
        handle = app.resources.get(resource)
        # A live worker imports one source after the other; the handles of earlier ones are still registered.
        if handle is not None and getattr(handle.__wrapped__, "__module__", None) == module.__name__:
            return handle
    return None


def body_of(found: Any) -> Any:
    return found.__wrapped__ if is_handle(found) else found


def init_of(found: Any) -> Any:
    """The function that `@handle.init` marked; None without one."""
    return getattr(found, "_init_fn", None) if is_handle(found) else None
