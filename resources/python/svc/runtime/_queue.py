"""Handlers of queue-based endpoints: from a job's input to a call of a function or of a method.

svc_worker looks at what a handler returns; the public worker SDK looks at the handler itself. A handler of the same
kind as the function that it calls serves both, so that streaming works with either.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import aclosing
from typing import Any

from svc._decorate import CONSTRUCTOR, DecoratedClass, Place, ready
from svc._kinds import is_async, is_async_generator, is_generator, public_methods
from svc.runtime._load import AppError, body_of, load

Job = Mapping[str, Any]

# The public SDK sends it with a call without arguments, because its platform drops empty inputs.
_EMPTY_MARK = "__empty"


class BadInputError(Exception):
    """The job's input is at fault; the text is the job's error."""


def queue_function(module: str, function: str, *, endpoint: str) -> Callable[[Job], Any]:
    """A handler that calls `function` of `module` with the input's fields as arguments.

    Nothing of the user's is bound to a name of ours, so a function may be called anything. Raises what importing the
    module raises.
    """
    body = body_of(load(module, function, endpoint))
    signature = Signature(body, function)
    return make_handler(body, lambda job: signature.call(fields_of(job)))


def queue_class(
    module: str, cls: str, *, endpoint: str, constructor: Mapping[str, Any] | None = None
) -> Callable[[Job], Any]:
    """A handler that calls methods of one instance of `cls`, made now with the arguments in `constructor`.

    The input is `{method, ...arguments}`; `method` may be left out when there is only one. A call that was made through
    an instance with other constructor arguments brings these along and gets an instance of its own. Raises what
    importing the module and making the instance raise.
    """
    found = load(module, cls, endpoint)
    kind = body_of(found)
    instances = found if isinstance(found, DecoratedClass) else DecoratedClass(kind, Place(endpoint, kind, 0))
    methods = public_methods(kind)
    if not methods:
        raise AppError(f"svc: class {cls} of {module} has no method that can be called: one without a leading _")
    recorded = dict(constructor or {})
    constructed = Signature(kind, cls)
    if _can_be_made(constructed, recorded):
        instances.own_instance(recorded)  # now, so that loading a model is no part of the first job

    def prepare(job: Job) -> Callable[[], Any]:
        fields = fields_of(job)
        arguments = fields.pop(CONSTRUCTOR, recorded)
        if not isinstance(arguments, dict):
            raise BadInputError(f"{cls}: the constructor's arguments must be an object")
        name = _method_of(kind, methods, fields)
        constructed.call(arguments)
        method = getattr(instances.own_instance(arguments), name)
        return Signature(method, f"{cls}.{name}").call(fields)

    # A method whose kind all share; else a plain function, which returns whatever the called one returned.
    shared = {(is_async(getattr(kind, name)), is_generator(getattr(kind, name))) for name in methods}
    return make_handler(getattr(kind, methods[0]) if len(shared) == 1 else None, prepare)


def _can_be_made(constructed: Signature, arguments: Mapping[str, Any]) -> bool:
    """Otherwise each call must bring the arguments, or it fails with that reason."""
    try:
        constructed.call(arguments)
    except BadInputError:
        return False
    return True


def _method_of(kind: type, methods: list[str], fields: dict[str, Any]) -> str:
    """The method's name, taken out of the fields, unless it is an argument of the only method."""
    if len(methods) == 1 and "method" in Signature(getattr(kind, methods[0]), methods[0]).parameters:
        return methods[0]
    name = fields.pop("method", methods[0] if len(methods) == 1 else None)
    if name is None:
        raise BadInputError(f'{kind.__name__} has several methods: name one as "method": {", ".join(methods)}')
    if name not in methods:
        raise BadInputError(f"{kind.__name__} has no method {name!r}; it has {', '.join(methods)}")
    return str(name)


def make_handler(kind: Any, prepare: Callable[[Job], Callable[[], Any]]) -> Callable[[Job], Any]:
    """A handler of the kind of the function `kind`; `prepare` gives the call that a job asks for.

    Bad input becomes the job's error, without a traceback.
    """

    def run(job: Job, refuse: Callable[[dict[str, str]], Any]) -> Any:
        try:
            call = prepare(job)
        except BadInputError as error:
            return refuse({"error": str(error)})
        return call()

    async def stream(job: Job) -> AsyncIterator[Any]:
        async with aclosing(run(job, _stream_of)) as chunks:
            async for chunk in chunks:
                yield chunk

    def generate(job: Job) -> Iterator[Any]:
        yield from run(job, lambda error: [error])

    async def answer(job: Job) -> Any:
        return await run(job, ready)

    if is_async_generator(kind):
        return stream
    if is_generator(kind):
        return generate
    return answer if is_async(kind) else lambda job: run(job, lambda error: error)


async def _stream_of(value: Any) -> AsyncIterator[Any]:
    yield value


def fields_of(job: Mapping[str, Any]) -> dict[str, Any]:
    """The input's fields; null has no fields."""
    given = job.get("input")
    if given is None:
        return {}
    if not isinstance(given, dict):
        kind = {list: "a list", str: "a string", bool: "a bool"}.get(type(given), "a number")
        raise BadInputError(
            f'input must be an object with the arguments as fields, like {{"input": {{"x": 1}}}}; it is {kind}'
        )
    return {name: value for name, value in given.items() if name != _EMPTY_MARK}


class Signature:
    """A function's parameters. `name` is what the errors call it; a bound method has no `self` any more."""

    def __init__(self, function: Any, name: str) -> None:
        signature = inspect.signature(function)
        self._function = function
        self._shown = f"{name}{signature.replace(return_annotation=signature.empty)}"
        self._name = name
        kinds = inspect.Parameter
        self.parameters = {
            parameter_name: parameter
            for parameter_name, parameter in signature.parameters.items()
            if parameter.kind not in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)
        }
        self._takes_any = any(parameter.kind is kinds.VAR_KEYWORD for parameter in signature.parameters.values())

    def call(self, fields: Mapping[str, Any]) -> Callable[[], Any]:
        """A call with these arguments. Raises BadInputError that names those missing or unknown, and the signature."""
        missing = [
            name
            for name, parameter in self.parameters.items()
            if parameter.default is parameter.empty and name not in fields
        ]
        unknown = [] if self._takes_any else [name for name in fields if name not in self.parameters]
        if missing or unknown:
            faults = [*_fault("missing", missing), *_fault("unexpected", unknown)]
            raise BadInputError(f"{self._name}: {', '.join(faults)}; it takes {self._shown}")
        first = [name for name, parameter in self.parameters.items() if parameter.kind is parameter.POSITIONAL_ONLY]
        # A positional-only parameter that is left out has a default, and so have all that follow it.
        given = [fields[name] for name in first if name in fields]
        named = {name: value for name, value in fields.items() if name not in first}
        return functools.partial(self._function, *given, **named)


def _fault(word: str, names: list[str]) -> list[str]:
    return [f"{word} argument{'s' if len(names) > 1 else ''} {', '.join(names)}"] if names else []
