"""Generators as bodies: server-sent events for a client that asks for them, else pieces as they come."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator
from typing import Any

from svc.runtime._threads import in_pool

_END = object()


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
