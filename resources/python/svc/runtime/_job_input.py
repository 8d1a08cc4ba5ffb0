"""From a job's input to a call, with errors in words for input that does not fit."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, NamedTuple

# The public SDK sends it with a call without arguments, because its platform drops empty inputs.
_EMPTY_MARK = "__empty"


class BadInputError(Exception):
    """The job's input is at fault; the text is the job's error."""


class Call(NamedTuple):
    """Arguments, ready to call with."""

    args: list[Any]
    kwargs: dict[str, Any]


def fields_of(job: Mapping[str, Any]) -> dict[str, Any]:
    """The input's fields; null is none at all."""
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
        self._shown = f"{name}{signature.replace(return_annotation=signature.empty)}"
        self._name = name
        kinds = inspect.Parameter
        self.parameters = {
            parameter_name: parameter
            for parameter_name, parameter in signature.parameters.items()
            if parameter.kind not in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD)
        }
        self._takes_any = any(parameter.kind is kinds.VAR_KEYWORD for parameter in signature.parameters.values())

    def call(self, fields: Mapping[str, Any]) -> Call:
        """Raises BadInputError that names the arguments which are missing or unknown, and the signature."""
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
        return Call(given, {name: value for name, value in fields.items() if name not in first})


def _fault(word: str, names: list[str]) -> list[str]:
    return [f"{word} argument{'s' if len(names) > 1 else ''} {', '.join(names)}"] if names else []
