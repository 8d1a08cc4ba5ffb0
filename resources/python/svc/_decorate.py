"""Decorated functions and classes of queue-based endpoints, and the routes of load-balanced ones.

Where a call goes is decided when it is made, not when the file is imported: the worker that owns the endpoint runs the
body, everybody else asks the endpoint.
"""

from __future__ import annotations

import functools
import os
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from svc._kinds import is_async, is_generator, public_methods
from svc._streams import OwnStream, RemoteStream

if TYPE_CHECKING:
    from svc._calls import Target

Fields = Mapping[str, Any]

# The body of a decorated function or class; svc.runtime looks here.
BODY = "__svc_body__"
# Field of an input with the constructor's arguments, so that none is lost. Dunder: no parameter is called like this.
CONSTRUCTOR = "__constructor"

# Instances with different arguments that one worker keeps; the one that was not used for longest goes. source: ours.
KEPT_INSTANCES = 4

# Kept in the environment, so that processes which user code starts know it too. The name is the public tool's:
# SVC_ENDPOINT holds the endpoint's id, and an id may equal the name of another endpoint.
_NAME = "FLASH_RESOURCE_NAME"


def claim(endpoint: str) -> None:
    """This process runs the functions of the endpoint with this name. Called by handler files, before user code."""
    os.environ[_NAME] = endpoint


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
        return (os.environ.get(_NAME) or os.environ.get("SVC_ENDPOINT")) == self.endpoint

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
    """Replace the function of a queue-based endpoint: the result is always awaitable, or for `async for`."""

    def elsewhere(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return call_elsewhere(place, function, _named(function, args, kwargs))

    return _replaced(function, place, elsewhere, lambda value: _own_result(function, value))


def decorate_route(function: Callable[..., Any], place: Place, method: str, path: str) -> Callable[..., Any]:
    """A route keeps its kind: routes call each other directly on their worker, sync ones without `await`."""

    def elsewhere(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        fields = _named(function, args, kwargs)
        if is_generator(function):
            return place.ask(function, lambda target: target.items(method, path, fields))
        if is_async(function):
            return place.ask(function, lambda target: target.request(method, path, fields))
        return place.target().request(method, path, fields)

    return _replaced(function, place, elsewhere, lambda value: value)


def _replaced(
    function: Callable[..., Any],
    place: Place,
    elsewhere: Callable[[tuple[Any, ...], dict[str, Any]], Any],
    own_result: Callable[[Any], Any],
) -> Callable[..., Any]:
    """Calls `function` on its own worker, `elsewhere` in all other processes; async if it is."""
    if is_async(function):

        @functools.wraps(function)
        async def call(*args: Any, **kwargs: Any) -> Any:
            return await (function(*args, **kwargs) if place.is_here else elsewhere(args, kwargs))
    else:

        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            return own_result(function(*args, **kwargs)) if place.is_here else elsewhere(args, kwargs)

    setattr(call, BODY, function)
    return call


def _named(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], *, method: bool = False) -> dict[str, Any]:
    from svc._arguments import named_arguments

    return named_arguments(function, args, kwargs, method=method)


def _own_result(function: Any, value: Any) -> Any:
    """The result of a sync function called on its own worker.

    In async code it is awaited like every decorated function. Code without an event loop cannot await, so a function
    that calls itself gets the value, as it does with the public tool.
    """
    if is_generator(function):
        return OwnStream(value)
    asyncio = sys.modules.get("asyncio")
    in_event_loop = asyncio is not None and asyncio._get_running_loop() is not None
    return ready(value) if in_event_loop else value


async def ready(value: Any) -> Any:
    return value


class DecoratedClass:
    """Stands for the class. Calling it makes an instance on its own worker, and a stand-in for that elsewhere."""

    def __init__(self, kind: type, place: Place) -> None:
        setattr(self, BODY, kind)
        self._place = place
        self._instances: OrderedDict[str, Any] = OrderedDict()
        self._making = threading.RLock()
        functools.update_wrapper(self, kind, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        kind = getattr(self, BODY)
        arguments = _constructor_arguments(kind, args, kwargs)
        return self.own_instance(arguments) if self._place.is_here else _RemoteInstance(kind, self._place, arguments)

    def own_instance(self, arguments: Mapping[str, Any]) -> Any:
        """The instance with these constructor arguments, made on first use.

        One for all: an instance made at the top of the user's file is the one that serves the jobs, so that no model
        is loaded twice.
        """
        import json

        key = json.dumps(arguments, sort_keys=True, default=repr)
        with self._making:
            if key not in self._instances:
                self._instances[key] = getattr(self, BODY)(**arguments)
            self._instances.move_to_end(key)
            if len(self._instances) > KEPT_INSTANCES:
                self._instances.popitem(last=False)
            return self._instances[key]

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return (getattr(self, BODY),)  # so that it can be a base class

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, getattr(self, BODY))

    def __getattr__(self, name: str) -> Any:
        if name == BODY:  # not set yet while the object is copied
            raise AttributeError(name)
        return getattr(getattr(self, BODY), name)


class _RemoteInstance:
    """Its methods are awaitable, or streams. Nothing is sent before one is called."""

    def __init__(self, kind: type, place: Place, constructor: Mapping[str, Any]) -> None:
        self._kind = kind
        self._place = place
        self._constructor = constructor

    def __getattr__(self, name: str) -> Any:
        kind = self._kind
        if name not in public_methods(kind):
            raise AttributeError(f"{kind.__name__} has no method {name} that can be called from elsewhere")
        method = getattr(kind, name)

        @functools.wraps(method)
        def call(*args: Any, **kwargs: Any) -> Any:
            fields = _named(method, args, kwargs, method=_takes_instance(kind, name))
            return call_elsewhere(self._place, method, self._input(name, fields))

        return call

    def _input(self, name: str, fields: dict[str, Any]) -> dict[str, Any]:
        constructor = {CONSTRUCTOR: self._constructor} if self._constructor else {}
        if public_methods(self._kind) == [name]:
            return {**fields, **constructor}
        if "method" in fields:
            raise TypeError(
                f"{self._kind.__name__}.{name}: an argument named method cannot be sent, since the input of a class "
                "with several methods names the method there; give the parameter another name"
            )
        return {"method": name, **fields, **constructor}


def _constructor_arguments(kind: type, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    constructor = kind.__init__  # type: ignore[misc]  # looked at, not called
    if constructor is not object.__init__:
        return _named(constructor, args, kwargs, method=True)
    if args or kwargs:
        raise TypeError(f"{kind.__name__}() takes no arguments")
    return {}


def _takes_instance(kind: type, name: str) -> bool:
    """Not for static methods and class methods."""
    owner = next(parent for parent in kind.__mro__ if name in vars(parent))
    return not isinstance(vars(owner)[name], (staticmethod, classmethod))
