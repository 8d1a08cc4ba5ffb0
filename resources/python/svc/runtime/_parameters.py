"""From a request to a route function's arguments.

Path parameters by their names in the path; a parameter annotated with svc.Request gets the request; the others come
from the query (GET, HEAD) or from the fields of the body. The whole body belongs to a single parameter that is a
pydantic model, bytes, or a dict that the body has no field for.
"""

from __future__ import annotations

import contextlib
import inspect
import json
import re
import typing
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import parse_qs, unquote

from svc._responses import Request
from svc.runtime._convert import MismatchError, convert, is_model
from svc.runtime._route_table import place_names

_MISSING = inspect.Parameter.empty
_JSON_KINDS = ("application/json", "application/x-www-form-urlencoded")

_BOUNDARY = re.compile(r'boundary=(?:"([^"]+)"|([^;\s]+))', re.IGNORECASE)
_NAME = re.compile(r';\s*name\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))', re.IGNORECASE)
_FILE_NAME = re.compile(r";\s*filename\*?\s*=", re.IGNORECASE)

# Fields of a form: a file is bytes, anything else a text; a name that comes twice has both, in order.
Fields = dict[str, "list[str | bytes]"]


class BadRequestError(Exception):
    """422; `faults` as web frameworks tell them: loc, msg, type."""

    def __init__(self, faults: list[dict[str, Any]]) -> None:
        super().__init__(
            "; ".join(f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}" for fault in faults)
        )
        self.faults = faults


class _Parameter(NamedTuple):
    name: str
    kind: Any
    default: Any
    place: str  # path, query, body or request


class Parameters:
    def __init__(self, function: Any, method: str, path: str) -> None:
        hints = _hints(function)
        signature = inspect.signature(function)
        in_path = place_names(path)
        elsewhere = "query" if method in ("GET", "HEAD") else "body"
        kinds = inspect.Parameter
        self._all: list[_Parameter] = []
        self._takes_any = any(parameter.kind is kinds.VAR_KEYWORD for parameter in signature.parameters.values())
        for name, parameter in signature.parameters.items():
            if parameter.kind in (kinds.VAR_POSITIONAL, kinds.VAR_KEYWORD):
                continue
            kind = hints.get(name, Any if parameter.annotation is _MISSING else parameter.annotation)
            place = "request" if kind is Request else "path" if name in in_path else elsewhere
            self._all.append(_Parameter(name, kind, parameter.default, place))
        self._body = [parameter for parameter in self._all if parameter.place == "body"]

    def read(self, request: Request, path_values: Mapping[str, str]) -> dict[str, Any]:
        """Arguments by name. Raises BadRequestError that names every field which is missing or wrong."""
        query = read_urlencoded(request.query)
        body = self._read_body(request) if self._body or self._takes_any else {}
        sources: dict[str, Mapping[str, list[Any]]] = {
            "path": {name: [value] for name, value in path_values.items()},
            "query": query,
        }
        arguments: dict[str, Any] = {}
        faults: list[dict[str, Any]] = []
        for parameter in self._all:
            if parameter.place == "request":
                arguments[parameter.name] = request
                continue
            if parameter.place == "body" and parameter.name in body:
                value = body[parameter.name]
            else:
                # A body parameter that the body lacks may stand in the query, as in DELETE /items?id=5.
                value = _from_texts(sources.get(parameter.place, query).get(parameter.name), parameter.kind)
            if value is not _MISSING:
                _put(arguments, faults, parameter, value)
            elif parameter.default is _MISSING:
                faults.append({"loc": [parameter.place, parameter.name], "msg": "field required", "type": "missing"})
        if faults:
            raise BadRequestError(faults)
        if self._takes_any:
            known = {parameter.name for parameter in self._all}
            arguments.update({name: value for name, value in body.items() if name not in known})
        return arguments

    def _read_body(self, request: Request) -> dict[str, Any]:
        """The body's fields by parameter name."""
        content_type = request.headers.get("content-type", "")
        kind = content_type.split(";")[0].strip().lower()
        only = self._body[0] if len(self._body) == 1 else None
        try:
            if kind == "multipart/form-data":
                return self._form(read_multipart(content_type, request.body))
            # curl -d says this of any body, and a form does not begin with a brace.
            if kind == "application/x-www-form-urlencoded" and not request.body.lstrip().startswith((b"{", b"[")):
                return self._form(read_urlencoded(request.body.decode("utf-8", "replace")))
            raw = [parameter for parameter in self._body if bytes in (parameter.kind, *typing.get_args(parameter.kind))]
            if len(raw) == 1 and kind not in _JSON_KINDS and request.body:
                return {raw[0].name: request.body}
            if not request.body.strip():
                return {}
            value = json.loads(request.body)
        except FormError as error:
            raise BadRequestError([{"loc": ["body"], "msg": str(error), "type": "form_invalid"}]) from None
        except (ValueError, RecursionError) as error:
            raise BadRequestError([{"loc": ["body"], "msg": f"not JSON: {error}", "type": "json_invalid"}]) from None
        if only is not None and _takes_whole_body(only, value):
            return {only.name: value}
        if not isinstance(value, dict):
            raise BadRequestError([{"loc": ["body"], "msg": "must be an object", "type": "dict_type"}])
        return value

    def _form(self, fields: Mapping[str, list[Any]]) -> dict[str, Any]:
        kinds = {parameter.name: parameter.kind for parameter in self._body}
        return {name: _from_texts(values, kinds.get(name, str)) for name, values in fields.items()}


def _put(arguments: dict[str, Any], faults: list[dict[str, Any]], parameter: _Parameter, value: Any) -> None:
    try:
        arguments[parameter.name] = convert(value, parameter.kind)
    except MismatchError as error:
        faults.append({"loc": [parameter.place, parameter.name], "msg": str(error), "type": "type_error"})
    except Exception as error:
        if not callable(getattr(error, "errors", None)):
            raise
        for fault in error.errors():  # type: ignore[attr-defined]  # a pydantic ValidationError, known by its shape
            loc = [parameter.place, parameter.name, *fault.get("loc", ())]
            faults.append({"loc": loc, "msg": fault.get("msg", ""), "type": fault.get("type", "value_error")})


def _takes_whole_body(parameter: _Parameter, value: Any) -> bool:
    named = isinstance(value, dict) and parameter.name in value
    if any(is_model(kind) for kind in (parameter.kind, *typing.get_args(parameter.kind))):
        return not (named and set(value) == {parameter.name})
    origin = typing.get_origin(parameter.kind) or parameter.kind
    return not isinstance(value, dict) or (origin in (dict, Mapping) and not named)


def _from_texts(values: list[Any] | None, kind: Any) -> Any:
    """All texts for a list, else the last one: `?a=1&a=2`. An object stands there as JSON text."""
    if values is None:
        return _MISSING
    kinds = [typing.get_origin(one) or one for one in (kind, *typing.get_args(kind))]
    if any(one in (list, set, frozenset, tuple) for one in kinds):
        return values
    value = values[-1]
    if isinstance(value, str) and any(one in (dict, Mapping) or is_model(one) for one in kinds):
        with contextlib.suppress(ValueError):
            return json.loads(value)
    return value


def _hints(function: Any) -> dict[str, Any]:
    try:
        return typing.get_type_hints(function, include_extras=True)
    except Exception:  # a name that exists for type checkers only; the annotations stay as they are written
        return {
            name: kind for name, kind in getattr(function, "__annotations__", {}).items() if not isinstance(kind, str)
        }


class FormError(Exception):
    """The body is no form: multipart/form-data or application/x-www-form-urlencoded. source: RFC 7578."""


def read_multipart(content_type: str, body: bytes) -> Fields:
    """Raises FormError."""
    found = _BOUNDARY.search(content_type)
    if found is None:
        raise FormError("multipart/form-data without a boundary")
    mark = b"\r\n--" + (found[1] or found[2]).encode("latin-1")
    # The text after a mark tells whether it is one: a line end, or -- after the last part.
    pieces = (b"\r\n" + body).split(mark)
    if len(pieces) < 2 or not pieces[-1].startswith(b"--"):
        raise FormError("the multipart body has no end")
    fields: Fields = {}
    for piece in pieces[1:-1]:
        name, value = _read_part(piece)
        fields.setdefault(name, []).append(value)
    return fields


def read_urlencoded(body: str) -> Fields:
    """A query or a body of this form."""
    return {name: list(values) for name, values in parse_qs(body, keep_blank_values=True).items()}


def _read_part(piece: bytes) -> tuple[str, str | bytes]:
    head, gap, value = piece.lstrip(b" \t").partition(b"\r\n\r\n")
    if not gap or not head.startswith(b"\r\n"):
        raise FormError("a part of the multipart body has no head")
    for line in head.decode("utf-8", "replace").split("\r\n"):
        title, _, rest = line.partition(":")
        if title.strip().lower() != "content-disposition" or not (named := _NAME.search(rest)):
            continue
        name = re.sub(r"\\(.)", r"\1", named[1]) if named[1] is not None else named[2]
        is_file = _FILE_NAME.search(rest) is not None
        return unquote(name), value if is_file else value.decode("utf-8", "replace")
    raise FormError("a part of the multipart body has no name")
