"""The same application for an ASGI server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from svc._responses import Request
from svc.runtime._answers import Answer, error_answer
from svc.runtime._application import BODY_LIMIT, Application

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


async def answer_asgi(application: Application, scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """One ASGI call: a request, or the server's life."""
    if scope["type"] == "lifespan":
        while (await receive())["type"] != "lifespan.shutdown":
            await send({"type": "lifespan.startup.complete"})
        await send({"type": "lifespan.shutdown.complete"})
    elif scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1000})
    else:
        body = await _read_body(receive)
        answer = error_answer(413, None) if body is None else await application.answer(_request(scope, body))
        await _send_answer(answer, send)
        if answer.after is not None:
            await answer.after()


def _request(scope: dict[str, Any], body: bytes) -> Request:
    headers: dict[str, str] = {}
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    path = (scope.get("raw_path") or scope["path"].encode()).decode("latin-1")
    return Request(scope["method"], path, scope["query_string"].decode("latin-1"), headers, body)


async def _read_body(receive: Receive) -> bytes | None:
    """None: it has more bytes than the limit."""
    pieces: list[bytes] = []
    size = 0
    while True:
        message = await receive()
        piece = message.get("body", b"")
        size += len(piece)
        if size <= BODY_LIMIT:
            pieces.append(piece)
        if message["type"] == "http.disconnect" or not message.get("more_body"):
            return b"".join(pieces) if size <= BODY_LIMIT else None


async def _send_answer(answer: Answer, send: Send) -> None:
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1", "replace")) for name, value in answer.headers]
    if isinstance(answer.body, bytes):
        headers.append((b"content-length", str(len(answer.body)).encode()))
    await send({"type": "http.response.start", "status": answer.status, "headers": headers})
    if isinstance(answer.body, bytes):
        await send({"type": "http.response.body", "body": answer.body})
        return
    async for piece in answer.body:
        await send({"type": "http.response.body", "body": piece, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
