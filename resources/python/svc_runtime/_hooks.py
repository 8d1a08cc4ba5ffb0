"""Code that runs once before a worker runs jobs: `@init` of a queue function, and prestart hooks.

Where one fails differs: with `@init` the worker cannot start, and a release that brings it does not become active. A
failed prestart hook is told to the job that the worker takes then, as the package's own worker does.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import os
import sys
from typing import Any

from svc_worker._capture import JOB_CHARS, Capture, capture_mode
from svc_worker._errors import trimmed_traceback
from svc_worker._protocol import RUNTIME_VERSION


class HookError(Exception):
    """A hook raised; the text is a sentence, the cause what it raised. `hook`: its name, of a prestart hook."""

    def __init__(self, text: str, hook: str | None = None) -> None:
        super().__init__(text)
        self.hook = hook


def run_init(init: Any, resource: str) -> None:
    """Run the function that `@init` marked, if there is one. Raises HookError."""
    if init is not None:
        _run(init, f'@init of resource "{resource}" failed')


def run_prestart_hooks() -> None:
    """Run all of them, in the order in which they were registered. Raises HookError."""
    hooks = sys.modules.get("runpod.serverless.modules.rp_prestart")
    if hooks is None:
        return
    for hook in hooks.get_prestart_hooks():
        name = getattr(hook, "__name__", type(hook).__name__)
        _run(hook, f'the prestart hook "{name}" failed', name)
    hooks.clear_prestart_hooks()  # the next source of a live worker registers its own


def prestart_failure() -> str | None:
    """Run the prestart hooks. Returns the error for a job as JSON text if one fails; None: all have run.

    source: the public SDK 2.0, build_prestart_failed_payload.
    """
    printed = Capture(JOB_CHARS, stderr=True)
    try:
        with printed if capture_mode() != "off" else contextlib.nullcontext():
            run_prestart_hooks()
    except HookError as failure:
        error = failure.__cause__ or failure
        logs = printed.take()
        return json.dumps(
            {
                "event": "prestart_failed",
                "error_type": type(error).__name__,
                "error_message": str(error),
                "error_traceback": trimmed_traceback(error),
                "worker_id": os.environ.get("RUNPOD_POD_ID", "unknown"),
                "runpod_version": RUNTIME_VERSION,
                "hook": failure.hook,
                **({"logs": logs} if logs else {}),
            }
        )
    return None


def _run(hook: Any, problem: str, name: str | None = None) -> None:
    try:
        result = hook()
        if inspect.isawaitable(result):
            asyncio.run(awaited(result))
    # Also SystemExit: a hook may not end the worker without a word.
    except (Exception, SystemExit) as error:
        raise HookError(f"{problem}: {type(error).__name__}: {error}", name) from error


async def awaited(result: Any) -> Any:
    """For asyncio.run, which takes coroutines alone."""
    return await result
