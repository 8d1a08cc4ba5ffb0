"""The handlers of live queue resources and of tasks. Only what a function returns matters, not its kind.

A queue resource gives one answer for a function, a marked one for each chunk of a generator. A task is one function,
run once by a worker that ends afterwards; source: the package, apps/tasks.py, which sends its request, while the
service answers its polling (docs/spec/platform.md, 4).
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from typing import Any

from svc.runtime._queue import Job
from svc_runtime._hooks import awaited
from svc_runtime._live import LiveFunctions, enter_live_mode, error_text
from svc_runtime._requests import FunctionRequest, failure, read_request
from svc_worker import _logs
from svc_worker._capture import Capture

# Characters of one answer's output; the log has all of it. source: ours; it travels with every answer.
KEPT_CHARS = 64 * 1024


class AnswerOutput(Capture):
    def __init__(self) -> None:
        super().__init__(KEPT_CHARS, stderr=False)

    def field(self) -> dict[str, str]:
        """The field `stdout` of an answer, with what came since the last one; without any, no field."""
        text = self.take()
        return {"stdout": text} if text else {}


_END = object()
# Also SystemExit: no request may end the worker. Cancels and KeyboardInterrupt are not the user's.
_RAISED = (Exception, SystemExit)


def live_handler(functions: LiveFunctions) -> Callable[[Job], Any]:
    """A handler that always streams: its aggregate is the list of answers that the package reads."""

    def handler(job: Job) -> Generator[Any] | AsyncGenerator[Any]:
        capture = AnswerOutput()
        try:
            request = read_request(job.get("input"))
            call = functions.prepare(request)
            with capture:  # what the package prints while it is imported is no output of the function
                value = call()
        except _RAISED as error:
            return _only(_failed(error, capture))
        if isinstance(value, AsyncGenerator):
            return _chunks_async(request, value, capture)
        if isinstance(value, Generator):
            return _chunks(request, value, capture)
        if isinstance(value, Awaitable):
            return _result_async(request, value, capture)
        return _only(_answer(request, value, capture))

    return handler


def _answer(request: FunctionRequest, value: Any, capture: AnswerOutput) -> dict[str, Any]:
    try:
        return {**request.success(value), **capture.field()}
    except _RAISED as error:  # JSON or a pickle cannot hold it
        return {**failure(f"{type(error).__name__}: {error}"), **capture.field()}


def _marked(answer: dict[str, Any]) -> dict[str, Any]:
    return {**answer, "__stream__": True}


def _failed(error: BaseException, capture: AnswerOutput) -> dict[str, Any]:
    text = error_text(error)
    _logs.report(f"job failed\n{text}", "ERROR")
    return {**failure(text), **capture.field()}


def _only(answer: dict[str, Any]) -> Generator[Any]:
    yield answer


async def _result_async(request: FunctionRequest, value: Awaitable[Any], capture: AnswerOutput) -> AsyncGenerator[Any]:
    try:
        with capture:
            result = await value
    except _RAISED as error:
        yield _failed(error, capture)
        return
    yield _answer(request, result, capture)


def _chunks(request: FunctionRequest, chunks: Generator[Any], capture: AnswerOutput) -> Generator[Any]:
    try:
        while True:
            with capture:
                chunk = next(chunks, _END)
            if chunk is _END:
                return
            yield _marked(_answer(request, chunk, capture))
    except _RAISED as error:
        yield _failed(error, capture)
    finally:
        chunks.close()


async def _chunks_async(
    request: FunctionRequest, chunks: AsyncGenerator[Any], capture: AnswerOutput
) -> AsyncGenerator[Any]:
    try:
        while True:
            with capture:
                chunk = await anext(chunks, _END)
            if chunk is _END:
                return
            yield _marked(_answer(request, chunk, capture))
    except _RAISED as error:
        yield _failed(error, capture)
    finally:
        await chunks.aclose()


def task_program(env: Mapping[str, str]) -> tuple[Callable[[Job], dict[str, Any]], dict[str, Any]]:
    """Handler and config. Raises StartError."""
    functions = LiveFunctions(None, enter_live_mode(env))
    return lambda job: _run_task(functions, job), {"refresh_worker": True}


def _run_task(functions: LiveFunctions, job: Job) -> dict[str, Any]:
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
    """The final result of a function: a task does not stream."""
    if inspect.isgenerator(value):
        return list(value)
    if inspect.isasyncgen(value):
        return asyncio.run(_list_of(value))
    return asyncio.run(awaited(value)) if inspect.isawaitable(value) else value


async def _list_of(chunks: Any) -> list[Any]:
    return [chunk async for chunk in chunks]
