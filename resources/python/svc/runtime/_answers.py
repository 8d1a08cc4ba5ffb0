"""From what a route returned to what goes over the wire."""

from __future__ import annotations

import dataclasses
import enum
import http
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping
from typing import Any, NamedTuple

from svc._responses import Response
from svc.runtime._bodies import is_stream, stream_body

Headers = list[tuple[str, str]]


class Answer(NamedTuple):
    """`body`: bytes, or pieces of them that are sent as they come. `after`: what runs when it was sent."""

    status: int
    headers: Headers
    body: bytes | AsyncIterator[bytes]
    after: Callable[[], Awaitable[Any]] | None = None


async def answer_for(value: Any, accept: str) -> Answer:
    """The answer with a route's return value. `accept` is the request's header, it decides the form of a stream.

    Raises TypeError or ValueError for a value that JSON cannot hold.
    """
    if isinstance(value, Response):
        return await _make(value.status, list(value.headers.items()), value.body, value.media_type, accept)
    if _is_foreign(value):
        return await _foreign(value, accept)
    return await _make(200, [], value, None, accept, as_json=isinstance(value, str))


def error_answer(status: int, detail: Any, headers: Iterable[tuple[str, str]] = (), **more: Any) -> Answer:
    """`error` in words as everywhere in the service, `detail` as the clients of web frameworks expect it."""
    detail = _phrase(status) if detail is None else detail
    words = detail if isinstance(detail, str) else more.pop("error", _phrase(status))
    body = to_json({"error": words, "detail": detail, **more})
    return Answer(status, [*headers, ("content-type", "application/json")], body)


def to_json(value: Any) -> bytes:
    """JSON of a value, also of dataclasses, pydantic models, enums, sets, dates and the like."""
    return json.dumps(value, default=_plain, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "surrogatepass"
    )


async def _make(
    status: int, headers: Headers, body: Any, media_type: str | None, accept: str, *, as_json: bool = False
) -> Answer:
    given = media_type or next((value for name, value in headers if name.lower() == "content-type"), None)
    headers = [(name, value) for name, value in headers if name.lower() != "content-type"]
    if is_stream(body):
        kind, pieces = await stream_body(body, given, accept)
        return Answer(status, [*headers, ("content-type", kind)], pieces)
    if isinstance(body, (bytes, bytearray, memoryview)):
        data, kind = bytes(body), "application/octet-stream"
    elif isinstance(body, str) and not as_json:
        data, kind = body.encode(), "text/plain; charset=utf-8"
    else:
        data, kind = to_json(body), "application/json"
    # An empty body of a Response is of no kind.
    kinds = [("content-type", given or kind)] if data or given else []
    return Answer(status, [*headers, *kinds], data)


def _is_foreign(value: Any) -> bool:
    """A response object of starlette or FastAPI, known by its shape."""
    has_body = any(hasattr(value, name) for name in ("body_iterator", "body", "path"))
    return has_body and isinstance(getattr(value, "status_code", None), int) and not hasattr(value, "model_dump")


async def _foreign(value: Any, accept: str) -> Answer:
    raw = getattr(value, "raw_headers", None)
    pairs = (
        value.headers.items()
        if raw is None
        else [(name.decode("latin-1"), text.decode("latin-1")) for name, text in raw]
    )
    # Length and framing are those of what is sent, which only the server knows.
    headers = [(name, text) for name, text in pairs if name.lower() not in ("content-length", "transfer-encoding")]
    if hasattr(value, "body_iterator"):
        body = value.body_iterator
    elif hasattr(value, "body"):
        body = value.body
    else:  # a file response
        body = _file_pieces(str(value.path))
    made = await _make(value.status_code, headers, body, getattr(value, "media_type", None), accept)
    background = getattr(value, "background", None)
    # Its own header comes first: it holds the charset, which media_type lacks.
    own = [(name, text) for name, text in headers if name.lower() == "content-type"]
    kept = [pair for pair in made.headers if pair[0] != "content-type"] + own if own else made.headers
    return Answer(made.status, kept, made.body, background)


def _file_pieces(path: str) -> Iterable[bytes]:
    with open(path, "rb") as file:
        while piece := file.read(256 * 1024):
            yield piece


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, (set, frozenset)):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, bytes):
        return value.decode("utf-8")
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if type(value).__module__.split(".")[0] in ("uuid", "decimal", "pathlib"):
        return str(value)
    kind = type(value)
    raise TypeError(
        f"a route returned a {kind.__module__}.{kind.__qualname__}, which JSON cannot hold; return plain values"
    )


def _phrase(status: int) -> str:
    try:
        return http.HTTPStatus(status).phrase
    except ValueError:
        return f"HTTP {status}"
