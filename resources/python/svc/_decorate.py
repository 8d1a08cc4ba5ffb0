"""Decorated functions and classes of queue-based endpoints, and the routes of load-balanced ones.

Where a call goes is decided when it is made, not when the file is imported: the worker that owns the endpoint runs the
body, everybody else asks the endpoint.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from svc._kinds import is_async, is_generator
from svc._ownership import is_owned
from svc._streams import OwnStream, RemoteStream

if TYPE_CHECKING:
    from svc._calls import Target

Fields = Mapping[str, Any]

# The body of a decorated function or class; svc.runtime looks here.
BODY = "__svc_body__"


class Place:
    """Where the functions of an endpoint run, seen from here."""

    def __init__(self, endpoint: str, function: Any, timeout_ms: int) -> None:
        self.endpoint = endpoint
        self._function = function.__name__
        self._source_file: str | None = getattr(sys.modules.get(function.__module__), "__file__", None)
        self._timeout_ms = timeout_ms

    @property
    def is_here(self) -> bool:
        """Whether this process is a worker of the endpoint."""
        return is_owned(self.endpoint)

    def target(self) -> Target:
        """How it is reached. Made late: the imports behind it take longer than that of svc may."""
        from svc._calls import DEFAULT_TIMEOUT_S, Target

        timeout_s = self._timeout_ms / 1000 if self._timeout_ms else DEFAULT_TIMEOUT_S
        return Target(self.endpoint, self._function, self._source_file, timeout_s)

    def ask(self, function: Any, send: Callable[[Target], Any]) -> Any:
        """An awaitable of what `send` returns, or a stream when `function` is a generator function."""
        if is_generator(function):
            return RemoteStream(lambda: send(self.target()))
        return self._awaitable(send)

    async def _awaitable(self, send: Callable[[Target], Any]) -> Any:
        from svc._threads import in_thread

        return await in_thread(lambda: send(self.target()))


def call_elsewhere(place: Place, function: Any, fields: Fields) -> Any:
    """A job with these fields as its input: awaitable, or a stream."""
    from svc._arguments import encode

    text = encode(fields, function.__qualname__)
    if is_generator(function):
        return place.ask(function, lambda target: target.stream(text))
    return place.ask(function, lambda target: target.call(text))


def decorate_function(function: Callable[..., Any], place: Place) -> Callable[..., Any]:
    """What a queue-based endpoint's function becomes: always awaitable, or for `async for` when it is a generator."""

    def fields(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Fields:
        from svc._arguments import named_arguments

        return named_arguments(function, args, kwargs, method=False)

    if is_async(function):

        @functools.wraps(function)
        async def call(*args: Any, **kwargs: Any) -> Any:
            if place.is_here:
                return await function(*args, **kwargs)
            return await call_elsewhere(place, function, fields(args, kwargs))
    else:

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if place.is_here:
                return own_result(function, function(*args, **kwargs))
            return call_elsewhere(place, function, fields(args, kwargs))

    setattr(call, BODY, function)
    return call


def own_result(function: Any, value: Any) -> Any:
    """What a call of a sync function gives on its own worker.

    In async code it is awaited like every decorated function. Code without an event loop cannot await, so a function
    that calls itself gets the value, as it does with the public tool.
    """
    if is_generator(function):
        return OwnStream(value)
    return _ready(value) if _in_event_loop() else value


def decorate_route(function: Callable[..., Any], place: Place, method: str, path: str) -> Callable[..., Any]:
    """A route keeps its kind: routes call each other directly on their worker, sync ones without `await`."""

    def ask(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[[Target], Any]:
        from svc._arguments import named_arguments

        fields = named_arguments(function, args, kwargs, method=False)
        if is_generator(function):
            return lambda target: target.items(method, path, fields)
        return lambda target: target.request(method, path, fields)

    if is_generator(function):

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if place.is_here:
                return function(*args, **kwargs)
            return place.ask(function, ask(args, kwargs))
    elif is_async(function):

        @functools.wraps(function)
        async def call(*args: Any, **kwargs: Any) -> Any:
            if place.is_here:
                return await function(*args, **kwargs)
            return await place.ask(function, ask(args, kwargs))
    else:

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            if place.is_here:
                return function(*args, **kwargs)
            return ask(args, kwargs)(place.target())

    setattr(call, BODY, function)
    return call


async def _ready(value: Any) -> Any:
    return value


def _in_event_loop() -> bool:
    asyncio = sys.modules.get("asyncio")
    return asyncio is not None and asyncio._get_running_loop() is not None
