"""The arguments of a call as fields of an input."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any


def named_arguments(function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], *, method: bool) -> dict[str, Any]:
    """Arguments by parameter name; defaults that were not overridden are left out.

    `method`: the first parameter is the instance, which stays on the worker. Raises TypeError as a direct call would.
    """
    import inspect

    signature = inspect.signature(function)
    name = getattr(function, "__qualname__", repr(function))
    try:
        bound = signature.bind(*((None, *args) if method else args), **kwargs)
    except TypeError as error:
        raise TypeError(f"{name}{signature}: {error}") from None
    fields: dict[str, Any] = {}
    for position, (parameter_name, parameter) in enumerate(signature.parameters.items()):
        if parameter_name not in bound.arguments or (method and position == 0):
            continue
        if parameter.kind is parameter.VAR_POSITIONAL:
            raise TypeError(f"{name}{signature}: positional arguments without a name cannot be sent; name them")
        value = bound.arguments[parameter_name]
        fields.update(value if parameter.kind is parameter.VAR_KEYWORD else {parameter_name: value})
    return fields


def encode(fields: Mapping[str, Any], owner: str) -> str:
    """JSON text of arguments. Raises TypeError that names the argument which JSON cannot hold."""
    parts: list[str] = []
    for name, value in fields.items():
        try:
            text = json.dumps(value, allow_nan=False, separators=(",", ":"))
        except (TypeError, ValueError, RecursionError) as error:
            raise TypeError(f"{owner}: the argument {name} cannot be sent as JSON: {error}") from None
        parts.append(f"{json.dumps(name)}:{text}")
    return "{" + ",".join(parts) + "}"
