"""The program of a load-balanced endpoint's worker, which is an application for ASGI servers too."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from svc._responses import Request
from svc.runtime._answers import Answer, error_answer
from svc.runtime._application import BODY_LIMIT, Application
from svc.runtime._connection import Server
from svc.runtime._load import body_of, load
from svc.runtime._route_table import make_route

# source: docs/spec/job-api.md, 10.
_DEFAULT_PORT = 80
# Loopback, unless a container's start says SVC_HOST=0.0.0.0: a worker that is a process is not for the network.
_DEFAULT_HOST = "127.0.0.1"

Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]


class LoadBalanced:
    """The routes of one endpoint: `serve()` them, or hand the object to an ASGI server."""

    def __init__(self, application: Application, endpoint: str) -> None:
        self._application = application
        self._endpoint = endpoint

    def serve(self) -> None:
        """Listen on PORT, and on PORT_HEALTH for GET /ping alone, until SIGTERM and the end of open requests."""
        asyncio.run(serve(self._application, self._endpoint))

    async def __call__(self, scope: dict[str, Any], receive: Receive, send: Send) -> None:
        await answer_asgi(self._application, scope, receive, send)


async def serve(application: Application, endpoint: str) -> None:
    """The same for any application, in a loop that its caller runs."""
    stopped = asyncio.Event()
    loop = asyncio.get_running_loop()

    def stop() -> None:
        if stopped.is_set():  # asked twice: an endless stream would hold us for ever
            os._exit(1)
        stopped.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop)
    host = os.environ.get("SVC_HOST") or _DEFAULT_HOST
    port, health_port = _port("PORT", _DEFAULT_PORT), _port("PORT_HEALTH", None)
    servers = [Server(application)]
    listening = [await servers[0].start(host, port or 0)]
    if health_port is not None and health_port != port:
        servers.append(Server(application.only_ping()))
        listening.append(await servers[1].start(host, health_port))
    shown = " and ".join(f"{host}:{number}" for number in listening)
    print(f"svc: endpoint {endpoint} listens on {shown}", file=sys.stderr, flush=True)
    await stopped.wait()
    # Health goes last: until then the worker is not lost, only full.
    for server in servers:
        await server.stop()


def load_balanced(routes: Sequence[tuple[str, str, str, str]], *, endpoint: str) -> LoadBalanced:
    """The routes (method, path, module, function), in the order of the source: the first that matches answers.

    Raises what importing the modules raises.
    """
    made = [make_route(method, path, body_of(load(module, name, endpoint))) for method, path, module, name in routes]
    return LoadBalanced(Application(made), endpoint)


def _port(name: str, default: int | None) -> int | None:
    text = os.environ.get(name)
    if not text:
        return default
    if not text.isascii() or not text.isdigit() or int(text) > 65535:
        raise SystemExit(f"svc: {name} must be a port number, not {text!r}")
    return int(text)


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
