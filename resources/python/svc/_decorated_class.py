"""A decorated class: `Model(arguments).method(...)` goes to the worker that has the instance."""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from svc._decorate import BODY, Place, call_elsewhere
from svc._kinds import public_methods

# Field of an input with the constructor's arguments, so that none is lost. Dunder: no parameter is called like this.
CONSTRUCTOR = "__constructor"

# Instances with different arguments that one worker keeps; the one that was not used for longest goes. source: ours.
KEPT_INSTANCES = 4


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
        if name == BODY:  # while it is being copied there is none yet
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
            from svc._arguments import named_arguments

            fields = named_arguments(method, args, kwargs, method=_takes_instance(kind, name))
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
    from svc._arguments import named_arguments

    constructor = kind.__init__  # type: ignore[misc]  # looked at, not called
    if constructor is not object.__init__:
        return named_arguments(constructor, args, kwargs, method=True)
    if args or kwargs:
        raise TypeError(f"{kind.__name__}() takes no arguments")
    return {}


def _takes_instance(kind: type, name: str) -> bool:
    """Not for static methods and class methods."""
    owner = next(parent for parent in kind.__mro__ if name in vars(parent))
    return not isinstance(vars(owner)[name], (staticmethod, classmethod))
