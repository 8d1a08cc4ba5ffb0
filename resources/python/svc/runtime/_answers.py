"""From what a route returned to what goes over the wire.

A generator becomes server-sent events for a client that asks for them, else pieces as they come.
"""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import enum
import http
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from svc._responses import Response
from svc.runtime._user_code import in_pool

Headers = list[tuple[str, str]]

_END = object()


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


def is_stream(value: Any) -> bool:
    """Whether it is a generator or something like one: lists and texts are values."""
    return hasattr(value, "__next__") or hasattr(value, "__aiter__")


async def stream_body(stream: Any, media_type: str | None, accept: str) -> tuple[str, AsyncIterator[bytes]]:
    """The media type and the pieces.

    Waits for the first item: what fails before it is an ordinary error answer, and its type decides what is sent.
    Texts and bytes are sent as they are, other values as a line of JSON each; as server-sent events, each item is one
    event, and a text that already is one (it ends with an empty line) stays as it is.
    """
    items = _items(stream)
    first = await anext(items, _END)
    if media_type is None and "text/event-stream" in accept:
        media_type = "text/event-stream"
        encode = _event
    else:
        encode = _event if (media_type or "").startswith("text/event-stream") else _piece
    if media_type is None:
        plain = "text/plain; charset=utf-8" if isinstance(first, str) or first is _END else "application/x-ndjson"
        media_type = "application/octet-stream" if isinstance(first, bytes) else plain
    return media_type, _pieces(first, items, encode)


async def _pieces(first: Any, items: AsyncGenerator[Any, None], encode: Any) -> AsyncIterator[bytes]:
    try:
        if first is not _END:
            yield encode(first)
            async for item in items:
                yield encode(item)
    finally:
        await items.aclose()


async def _items(stream: Any) -> AsyncGenerator[Any, None]:
    """A sync generator runs in threads, so that it may compute or sleep."""
    if hasattr(stream, "__aiter__"):
        try:
            async for item in stream:
                yield item
        finally:
            if hasattr(stream, "aclose"):
                await stream.aclose()
        return
    chunks: Iterator[Any] = iter(stream)
    try:
        while (item := await in_pool(next, chunks, _END)) is not _END:
            yield item
    finally:
        if isinstance(chunks, Generator):
            # ValueError: it is still running in its thread, left by a cancelled request.
            with contextlib.suppress(ValueError):
                await asyncio.shield(in_pool(chunks.close))


def _event(item: Any) -> bytes:
    if isinstance(item, bytes):
        return item
    if isinstance(item, str) and item.endswith("\n\n"):
        return item.encode()
    text = item if isinstance(item, str) else json.dumps(item, ensure_ascii=False, allow_nan=False)
    return "".join(f"data: {line}\n" for line in text.split("\n")).encode() + b"\n"


def _piece(item: Any) -> bytes:
    if isinstance(item, (bytes, bytearray, memoryview)):
        return bytes(item)
    if isinstance(item, str):
        return item.encode()
    return json.dumps(item, ensure_ascii=False, allow_nan=False).encode() + b"\n"
