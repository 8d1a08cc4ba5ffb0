"""A task: one function, run once by a worker that ends afterwards. Its job brings the source, as live requests do.

source: the package, apps/tasks.py, which sends the request; the service answers its polling (docs/spec/platform.md, 4).
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Mapping
from typing import Any

from svc.runtime._handler_kinds import Job
from svc_runtime._captured_output import AnswerOutput
from svc_runtime._live_folder import enter_live_folder
from svc_runtime._live_functions import LiveFunctions, error_text
from svc_runtime._mounts import configure_mounts
from svc_runtime._requests import read_request
from svc_runtime._sdk import provide_sdk
from svc_worker import _logs


def task_program(env: Mapping[str, str]) -> tuple[Callable[[Job], dict[str, Any]], dict[str, Any]]:
    """Handler and config. Raises StartError."""
    provide_sdk(env)
    configure_mounts(env.get("RUNPOD_MOUNTS"))
    functions = LiveFunctions(None, enter_live_folder(env))
    return lambda job: _run(functions, job), {"refresh_worker": True}


def _run(functions: LiveFunctions, job: Job) -> dict[str, Any]:
    capture = AnswerOutput()
    try:
        request = read_request(job.get("input"))
        call = functions.prepare(request)
        with capture:  # what the package prints while it is imported is no output of the function
            value = _collected(call())
        return {**request.success(value), **capture.field()}
    # Also SystemExit, which would end the worker without a word.
    except (Exception, SystemExit) as error:
        text = error_text(error)
        _logs.report(f"task failed\n{text}", "ERROR")
        return {"error": text}


def _collected(value: Any) -> Any:
    """What the function gave in the end: a task does not stream."""
    if inspect.isgenerator(value):
        return list(value)
    if inspect.isasyncgen(value):
        return asyncio.run(_list_of(value))
    return asyncio.run(_awaited(value)) if inspect.isawaitable(value) else value


async def _list_of(chunks: Any) -> list[Any]:
    return [chunk async for chunk in chunks]


async def _awaited(value: Any) -> Any:
    return await value
