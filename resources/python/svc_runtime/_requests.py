"""Requests to run a function whose source comes along, and the answers to them.

source: the package, apps/protocol.py and apps/serialization.py.
"""

from __future__ import annotations

import base64
import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from svc_worker._results import encode

_FORMATS = ("json", "cloudpickle")


class BadRequestError(Exception):
    """The request is at fault; the text says how."""


@dataclass(frozen=True)
class FunctionRequest:
    """A request as it came: the arguments of a pickled one are texts until `arguments` reads them."""

    function: str
    source: str
    args: list[Any]
    kwargs: dict[str, Any]
    dependencies: tuple[str, ...]
    system_dependencies: tuple[str, ...]
    pickled: bool

    def arguments(self) -> tuple[list[Any], dict[str, Any]]:
        """Call when source and packages are there, which pickled arguments may need. Raises BadRequestError."""
        if not self.pickled:
            return self.args, self.kwargs
        try:
            return [_unpickled(text) for text in self.args], {n: _unpickled(text) for n, text in self.kwargs.items()}
        except Exception as error:  # whatever a pickle raises
            raise BadRequestError(f"the arguments cannot be read here: {type(error).__name__}: {error}") from error

    def success(self, value: Any) -> dict[str, Any]:
        """The answer with what the function returned. Raises TypeError or ValueError for what cannot be sent."""
        if self.pickled:
            return {"success": True, "result": _pickled(value)}
        encode(value, "result")
        return {"success": True, "json_result": value}


def failure(error: str) -> dict[str, Any]:
    """The answer of a function that did not return."""
    return {"success": False, "error": error}


def read_request(value: Any) -> FunctionRequest:
    """Raises BadRequestError."""
    if not isinstance(value, Mapping):
        raise BadRequestError("the input must be an object with function_name and function_code")
    kind = value.get("execution_type") or "function"
    if kind != "function":
        raise BadRequestError(f"execution_type {kind!r} is not known here; it must be 'function'")
    form = value.get("serialization_format") or "cloudpickle"
    if form not in _FORMATS:
        raise BadRequestError(f"serialization_format must be one of {', '.join(_FORMATS)}, not {form!r}")
    args, kwargs = value.get("args") or [], value.get("kwargs") or {}
    if not isinstance(args, list) or not isinstance(kwargs, dict):
        raise BadRequestError("args must be a list and kwargs an object")
    return FunctionRequest(
        function=_text(value, "function_name"),
        source=_text(value, "function_code"),
        args=args,
        kwargs=kwargs,
        dependencies=names(value, "dependencies"),
        system_dependencies=names(value, "system_dependencies"),
        pickled=form == "cloudpickle",
    )


def names(value: Mapping[str, Any], field: str) -> tuple[str, ...]:
    """The packages that a field lists. Raises BadRequestError."""
    listed = value.get(field) or []
    if not isinstance(listed, list) or not all(isinstance(name, str) and name.strip() for name in listed):
        raise BadRequestError(f"{field} must be a list of names")
    return tuple(listed)


def _text(value: Mapping[str, Any], field: str) -> str:
    text = value.get(field)
    if not isinstance(text, str) or not text:
        raise BadRequestError(f"{field} is missing: a live worker runs the source that comes with the request")
    return text


def _unpickled(text: Any) -> Any:
    if not isinstance(text, str):
        raise TypeError("a pickled argument must be a text in base64")
    return pickle.loads(base64.b64decode(text))


def _pickled(value: Any) -> str:
    # cloudpickle also writes what the sent source defines; without it plain values are written all the same.
    try:
        from cloudpickle import dumps  # type: ignore[import-not-found]  # of the app, not ours
    except ImportError:
        dumps = pickle.dumps
    return base64.b64encode(dumps(value)).decode("ascii")
