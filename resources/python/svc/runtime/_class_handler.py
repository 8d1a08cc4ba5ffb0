"""The handler of a queue-based endpoint that is a class."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from svc._decorate import Place
from svc._decorated_class import CONSTRUCTOR, DecoratedClass
from svc._kinds import is_async, is_generator, public_methods
from svc.runtime._handler_kinds import Job, make_handler
from svc.runtime._job_input import BadInputError, Call, Signature, fields_of
from svc.runtime._load import AppError, body_of, load


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

    def prepare(job: Job) -> tuple[Callable[..., Any], Call]:
        fields = fields_of(job)
        arguments = fields.pop(CONSTRUCTOR, recorded)
        if not isinstance(arguments, dict):
            raise BadInputError(f"{cls}: the constructor's arguments must be an object")
        name = _method_of(kind, methods, fields)
        constructed.call(arguments)
        method = getattr(instances.own_instance(arguments), name)
        return method, Signature(method, f"{cls}.{name}").call(fields)

    return make_handler(_common_kind([getattr(kind, name) for name in methods]), prepare)


def _can_be_made(constructed: Signature, arguments: Mapping[str, Any]) -> bool:
    """Otherwise each call has to bring the arguments along, and is told so when it does not."""
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


def _common_kind(methods: list[Any]) -> Any:
    """A method whose kind all share; else a plain function, which returns whatever the called one returned."""
    kinds = {(is_async(method), is_generator(method)) for method in methods}
    return methods[0] if len(kinds) == 1 else None
