"""The handler of a live queue resource: one answer for a function, a marked one for each chunk of a generator.

What the function is does not matter, what it returns does, as in svc_worker.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from typing import Any

from svc.runtime._handler_kinds import Job
from svc_runtime._captured_output import AnswerOutput
from svc_runtime._live_functions import LiveFunctions, error_text
from svc_runtime._requests import FunctionRequest, failure, read_request
from svc_worker import _logs

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


async def _chunks_async(request: FunctionRequest, chunks: AsyncGenerator[Any], capture: AnswerOutput) -> AsyncGenerator[Any]:
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
