"""A handler of the same kind as the function that it calls.

svc_worker looks at what a handler returns; the public worker SDK looks at the handler itself. Being of the same kind
serves both, so that streaming works with either.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import aclosing
from typing import Any

from svc._kinds import is_async, is_async_generator, is_generator
from svc.runtime._job_input import BadInputError, Call

Job = Mapping[str, Any]
# A job -> the function to call and what to call it with. Raises BadInputError.
Prepare = Callable[[Job], tuple[Callable[..., Any], Call]]


def make_handler(kind: Any, prepare: Prepare) -> Callable[[Job], Any]:
    """A handler of the kind of the function `kind`. Bad input becomes the job's error, without a traceback."""
    if is_async_generator(kind):
        return _async_generator_handler(prepare)
    if is_generator(kind):
        return _generator_handler(prepare)
    if is_async(kind):
        return _async_handler(prepare)
    return _plain_handler(prepare)


def _plain_handler(prepare: Prepare) -> Callable[[Job], Any]:
    def handler(job: Job) -> Any:
        try:
            function, call = prepare(job)
        except BadInputError as error:
            return {"error": str(error)}
        return function(*call.args, **call.kwargs)

    return handler


def _async_handler(prepare: Prepare) -> Callable[[Job], Any]:
    async def handler(job: Job) -> Any:
        try:
            function, call = prepare(job)
        except BadInputError as error:
            return {"error": str(error)}
        return await function(*call.args, **call.kwargs)

    return handler


def _generator_handler(prepare: Prepare) -> Callable[[Job], Any]:
    def handler(job: Job) -> Iterator[Any]:
        try:
            function, call = prepare(job)
        except BadInputError as error:
            yield {"error": str(error)}
            return
        yield from function(*call.args, **call.kwargs)

    return handler


def _async_generator_handler(prepare: Prepare) -> Callable[[Job], Any]:
    async def handler(job: Job) -> AsyncIterator[Any]:
        try:
            function, call = prepare(job)
        except BadInputError as error:
            yield {"error": str(error)}
            return
        async with aclosing(function(*call.args, **call.kwargs)) as chunks:
            async for chunk in chunks:
                yield chunk

    return handler
