"""What runs once before a worker takes work: `@init` of a queue function, and prestart hooks."""

from __future__ import annotations

import asyncio
import inspect
import sys
from typing import Any


class HookError(Exception):
    """A hook raised; the text is a sentence, the cause what it raised."""


def run_init(init: Any, resource: str) -> None:
    """Run the function that `@init` marked, if there is one, and all prestart hooks. Raises HookError."""
    if init is not None:
        _run(init, f'@init of resource "{resource}" failed')
    hooks = sys.modules.get("runpod.serverless.modules.rp_prestart")
    if hooks is None:
        return
    for hook in hooks.get_prestart_hooks():
        _run(hook, f'the prestart hook "{getattr(hook, "__name__", type(hook).__name__)}" failed')
    hooks.clear_prestart_hooks()  # the next source of a live worker registers its own


def _run(hook: Any, problem: str) -> None:
    try:
        result = hook()
        if inspect.isawaitable(result):
            asyncio.run(_awaited(result))
    # Also SystemExit: a hook may not end the worker without a word.
    except (Exception, SystemExit) as error:
        raise HookError(f"{problem}: {type(error).__name__}: {error}") from error


async def _awaited(result: Any) -> Any:
    return await result
