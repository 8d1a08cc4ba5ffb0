"""A user's exception as text: a traceback that starts in the user's file, and the form a failed job carries."""

from __future__ import annotations

import json
import linecache
import os
import traceback

from svc_worker._protocol import RUNTIME_VERSION, Settings

_PACKAGES = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# Frames of these places tell a user nothing about the user's code.
_OUR_FOLDERS = (
    *(os.path.join(_PACKAGES, name) + os.sep for name in ("svc_worker", "svc", "svc_runtime", "runpod_flash")),
    os.path.join(os.path.dirname(os.path.abspath(os.__file__)), "asyncio") + os.sep,
    os.path.join(os.path.dirname(os.path.abspath(os.__file__)), "importlib") + os.sep,
    "<frozen importlib",
)

# The first line of a handler file that svc_build wrote.
_GENERATED = "# Written by the build; changes are lost.\n"


def trimmed_traceback(error: BaseException) -> str:
    """Traceback without the frames of the runtime, of asyncio and of the import system."""
    _explain(error)
    told = traceback.TracebackException.from_exception(error)
    _trim(told, set())
    return "".join(told.format())


def failure_text(error: BaseException, settings: Settings, logs: str = "") -> str:
    """The JSON text that is a failed job's `error`; same members as the public SDK sends. `logs`: what it printed."""
    _explain(error)
    return json.dumps(
        {
            "error_type": str(type(error)),
            "error_message": _message(error),
            "error_traceback": trimmed_traceback(error),
            "hostname": settings.hostname,
            "worker_id": settings.worker_id,
            "runpod_version": RUNTIME_VERSION,
            **({"logs": logs} if logs else {}),
        }
    )


def _explain(error: BaseException) -> None:
    """Name the line that mends an import of what builds leave out; only an app has `svc`, which knows what that is."""
    if isinstance(error, ModuleNotFoundError):
        try:
            from svc._left_out import explain
        except ImportError:  # no app, or one that an older version built
            return
        explain(error)


def _trim(told: traceback.TracebackException, seen: set[int]) -> None:
    if id(told) in seen:
        return
    seen.add(id(told))
    kept = [frame for frame in told.stack if not _is_ours(frame.filename)]
    told.stack = traceback.StackSummary.from_list(kept) if kept else None  # type: ignore[assignment]  # no header then
    for other in (told.__cause__, told.__context__, *(getattr(told, "exceptions", None) or ())):
        if other is not None:
            _trim(other, seen)


def _is_ours(file: str) -> bool:
    return file.startswith(_OUR_FOLDERS) or linecache.getline(file, 1) == _GENERATED


def _message(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # a user's __str__ can be broken too
        return f"<{type(error).__name__} whose text cannot be shown>"
