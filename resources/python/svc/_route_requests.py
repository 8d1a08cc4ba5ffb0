"""A call of a route of a load-balanced endpoint as an HTTP request."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from svc._arguments import encode
from svc._requests import SLACK_S, ask, value_of
from svc._service import Service

_PLACE = re.compile(r"\{(\w+)(?::path)?\}")
_WITHOUT_BODY = frozenset({"GET", "HEAD"})


class RouteRequest(NamedTuple):
    """`target`: path and query."""

    method: str
    target: str
    content_type: str
    body: bytes | None


def route_request(method: str, path: str, fields: Mapping[str, Any]) -> RouteRequest:
    """Arguments -> places in the path, then the query of a GET, or a body: JSON, or multipart when one is bytes."""
    left = dict(fields)

    def fill(place: re.Match[str]) -> str:
        if place[1] not in left:
            raise TypeError(f"{method} {path}: the argument {place[1]} is a part of the path and cannot be left out")
        return quote(_text(left.pop(place[1])), safe="/" if place[0].endswith(":path}") else "")

    target = _PLACE.sub(fill, path)
    if method in _WITHOUT_BODY:
        query = urlencode({name: _texts(value) for name, value in left.items() if value is not None}, doseq=True)
        return RouteRequest(method, f"{target}?{query}" if query else target, "", None)
    if any(isinstance(value, (bytes, bytearray)) for value in left.values()):
        boundary = uuid.uuid4().hex
        return RouteRequest(method, target, f"multipart/form-data; boundary={boundary}", _multipart(left, boundary))
    return RouteRequest(method, target, "application/json", encode(_plain(left), f"{method} {path}").encode())


def send(service: Service, url: str, request: RouteRequest, timeout_s: float) -> Any:
    """The answer's value. Only a GET is repeated: nobody knows what a second POST does."""
    headers = {"Content-Type": request.content_type} if request.content_type else None
    answer = ask(
        service,
        request.method,
        url + request.target,
        body=request.body,
        headers=headers,
        timeout_s=timeout_s + SLACK_S,
        may_repeat=request.method in _WITHOUT_BODY,
    )
    return value_of(answer)


def _plain(fields: Mapping[str, Any]) -> dict[str, Any]:
    """A pydantic model is the whole body when it is the only argument, as the server reads it."""
    dumped = {
        name: value.model_dump(mode="json") if hasattr(value, "model_dump") else value for name, value in fields.items()
    }
    only = next(iter(fields.values())) if len(fields) == 1 else None
    return next(iter(dumped.values())) if hasattr(only, "model_dump") else dumped


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _texts(value: Any) -> list[str]:
    return [_text(item) for item in value] if isinstance(value, (list, tuple)) else [_text(value)]


def _multipart(fields: Mapping[str, Any], boundary: str) -> bytes:
    parts: list[bytes] = []
    for name, value in fields.items():
        for item in value if isinstance(value, (list, tuple)) else [value]:
            is_file = isinstance(item, (bytes, bytearray))
            file = f'; filename="{name}"\r\nContent-Type: application/octet-stream' if is_file else ""
            head = f'--{boundary}\r\nContent-Disposition: form-data; name="{name}"{file}\r\n\r\n'
            parts += [head.encode(), bytes(item) if is_file else _text(item).encode(), b"\r\n"]
    return b"".join([*parts, f"--{boundary}--\r\n".encode()])
