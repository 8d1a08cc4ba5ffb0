"""From an api resource to the application that answers its requests.

A class has its routes served by FastAPI where the app brings it, as every build of an api does: then parameters, forms
and errors are what its author knows from there. Without it the routes of `svc.runtime` answer. A function gives an ASGI
application of its own. source: ASGI 3.0.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, NamedTuple
from urllib.parse import unquote

from svc._responses import Request
from svc.runtime._answers import Answer, error_answer
from svc.runtime._application import Application
from svc.runtime._route_table import make_route
from svc.runtime._user_code import in_pool, print_traceback
from svc_runtime._handles import body_of
from svc_runtime._start import StartError

Message = MutableMapping[str, Any]
AsgiApp = Callable[[Any, Callable[[], Awaitable[Message]], Callable[[Message], Awaitable[None]]], Awaitable[None]]

# Versions as the usual servers say them; frameworks choose by them how they notice that a client has left.
_VERSIONS = {"version": "3.0", "spec_version": "2.3"}
# Pieces of an answer that wait for the client. source: ours; a slow client must not fill the memory.
_WAITING_PIECES = 16


class Served(NamedTuple):
    """An application that has started; `stop` ends what it has started."""

    application: Application
    stop: Callable[[], Awaitable[None]]


async def start_application(handle: Any) -> Served:
    """Make the instance and run `@init`, or call the function; ready for requests. Raises StartError."""
    name = handle.spec.name
    target = body_of(handle)
    if inspect.isclass(target):
        instance = await _call(target, f'making {target.__name__} of resource "{name}" failed')
        if init := getattr(handle, "_init_name", None):
            await _call(getattr(instance, init), f'@init of resource "{name}" failed')
        routes = [(route.method, route.path, getattr(instance, route.handler_name)) for route in handle.spec.routes]
        return await _serve_routes(routes)
    app = await _call(target, f'resource "{name}" gave no application')
    if not callable(app):
        raise StartError(f'resource "{name}" must return an ASGI application, not {type(app).__name__}')
    return await _serve_asgi(app)


async def _serve_routes(routes: list[tuple[str, str, Any]]) -> Served:
    try:
        from fastapi import FastAPI  # type: ignore[import-not-found]  # of the app, not ours
    except ImportError:
        return Served(Application([make_route(*route) for route in routes]), _nothing)
    app = FastAPI()
    for method, path, function in routes:
        app.add_api_route(path, function, methods=[method])
    return await _serve_asgi(app)


async def _serve_asgi(app: Any) -> Served:
    application = AsgiApplication(app)
    await application.start()
    return Served(application, application.stop)


async def _call(function: Any, problem: str) -> Any:
    """Blocking ones in a thread: a live worker answers /ping meanwhile."""
    try:
        # An async function belongs to the loop that serves the requests.
        value = function() if inspect.iscoroutinefunction(function) else await in_pool(function)
        return await value if inspect.isawaitable(value) else value
    except (Exception, SystemExit) as error:
        raise StartError(f"{problem}: {type(error).__name__}: {error}") from error


async def _nothing() -> None:
    pass


class AsgiApplication(Application):
    """An ASGI application (FastAPI, Starlette and the like) behind our server: `start()`, `answer()`, then `stop()`.

    The server reads a request whole and writes the answer as it comes, so `receive` gives one message and then waits
    for the client to leave. WebSockets are not spoken.
    """

    def __init__(self, app: AsgiApp) -> None:
        super().__init__([])
        self._app = app
        self._state: dict[str, Any] = {}
        self._lifespan = _Lifespan(app, self._state)
        self._open: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        """Let the application start what it needs. Raises StartError."""
        await self._lifespan.start()

    async def stop(self) -> None:
        """Wait for what runs after answers were sent, then let the application end."""
        while self._open:
            await asyncio.wait(list(self._open))
        await self._lifespan.stop()

    async def answer(self, request: Request) -> Answer:
        """Never raises because of user code."""
        answer = await self._ask(request)
        # An application that says nothing of its health is well while it answers.
        if answer.status in (404, 405) and request.path == "/ping" and request.method in ("GET", "HEAD"):
            if not isinstance(answer.body, bytes):
                await answer.body.aclose()  # type: ignore[attr-defined]  # our own pieces
            return await super().answer(request)
        return answer

    def only_ping(self) -> Application:
        """The same answer to /ping, and nothing else."""
        return _PingOnly(self)

    async def _ask(self, request: Request) -> Answer:
        exchange = _Exchange(request.body)
        task = asyncio.create_task(exchange.run(self._app, _scope(request, self._state)))
        self._open.add(task)
        task.add_done_callback(self._open.discard)
        return await exchange.answer(f"{request.method} {request.path}")


class _PingOnly(Application):
    def __init__(self, whole: Application) -> None:
        super().__init__([])
        self._whole = whole

    async def answer(self, request: Request) -> Answer:
        return await self._whole.answer(request) if request.path == "/ping" else await super().answer(request)


class _Exchange:
    """One call of the application."""

    def __init__(self, body: bytes) -> None:
        self._request: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        # Messages of the application; None: it has ended.
        self.sent: asyncio.Queue[Message | BaseException | None] = asyncio.Queue(_WAITING_PIECES)
        self._gone = asyncio.Event()

    async def run(self, app: AsgiApp, scope: dict[str, Any]) -> None:
        """Call the application; its end is the last that is queued."""
        ended: BaseException | None = None
        try:
            await app(scope, self._receive, self._send)
        except (Exception, SystemExit) as error:
            ended = error
        if not self._gone.is_set():
            await self.sent.put(ended)
        elif ended is not None:
            print_traceback(ended, "an application failed after its answer")

    async def answer(self, what: str) -> Answer:
        """The head, with the body if it is whole, else with its pieces as they come."""
        start = await self.sent.get()
        if not isinstance(start, MutableMapping) or start.get("type") != "http.response.start":
            if isinstance(start, BaseException):
                print_traceback(start, f"{what} failed")
            return error_answer(500, None)
        headers = [(_text(name), _text(value)) for name, value in start.get("headers", ())]
        first = await self.sent.get()
        if isinstance(first, MutableMapping) and not first.get("more_body"):
            self.leave()
            return Answer(start["status"], headers, first.get("body", b""))
        return Answer(start["status"], headers, _Pieces(self, first))

    def leave(self) -> None:
        """The client has left: the application gets a disconnect, and its later messages are dropped."""
        self._gone.set()
        with contextlib.suppress(asyncio.QueueEmpty):  # so that a waiting `send` goes on
            while True:
                left = self.sent.get_nowait()
                if isinstance(left, BaseException):
                    print_traceback(left, "an application failed after its answer")

    async def _receive(self) -> Message:
        if self._request:
            return self._request.pop()
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        if not self._gone.is_set():
            await self.sent.put(message)


class _Pieces:
    """The body of an answer. No generator: one that is closed before its first piece would not be told."""

    def __init__(self, exchange: _Exchange, first: Message | BaseException | None) -> None:
        self._exchange = exchange
        self._first: list[Message | BaseException | None] = [first]
        self._whole = False

    def __aiter__(self) -> _Pieces:
        return self

    async def __anext__(self) -> bytes:
        if self._whole:
            raise StopAsyncIteration
        message = self._first.pop() if self._first else await self._exchange.sent.get()
        if isinstance(message, BaseException):
            raise message
        if message is None:
            raise RuntimeError("the application ended in the middle of its answer")
        self._whole = not message.get("more_body")
        piece: bytes = message.get("body", b"")
        return piece

    async def aclose(self) -> None:
        """The server calls it at the end, whole or not."""
        self._exchange.leave()


class _Lifespan:
    """The startup and shutdown of an application, before its first request and after its last."""

    def __init__(self, app: AsgiApp, state: dict[str, Any]) -> None:
        self._app = app
        self._state = state
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._events: asyncio.Queue[Message] = asyncio.Queue()
        self._started: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._stopped = asyncio.Event()
        self._task = asyncio.create_task(self._run())
        await self._events.put({"type": "lifespan.startup"})
        await self._started

    async def stop(self) -> None:
        if self._task is not None and not self._task.done():
            await self._events.put({"type": "lifespan.shutdown"})
            await self._stopped.wait()

    async def _run(self) -> None:
        scope = {"type": "lifespan", "asgi": _VERSIONS, "state": self._state}
        try:
            await self._app(scope, self._events.get, self._send)
        except (Exception, SystemExit):
            pass  # no lifespan events; a failed start was reported
        finally:
            if not self._started.done():
                self._started.set_result(None)
            self._stopped.set()

    async def _send(self, message: Message) -> None:
        kind = message["type"]
        if kind == "lifespan.startup.failed" and not self._started.done():
            told = f"the application did not start: {message.get('message', '')}"
            self._started.set_exception(StartError(told.rstrip()))
        elif kind == "lifespan.startup.complete" and not self._started.done():
            self._started.set_result(None)
        elif kind.startswith("lifespan.shutdown"):
            self._stopped.set()


def _scope(request: Request, state: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "http",
        "asgi": _VERSIONS,
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.headers.get("x-forwarded-proto", "http"),
        "path": unquote(request.path),
        "raw_path": request.path.encode("latin-1"),
        "query_string": request.query.encode("latin-1"),
        "root_path": "",
        "headers": [(name.encode("latin-1"), value.encode("latin-1")) for name, value in request.headers.items()],
        "client": (request.headers.get("x-forwarded-for", "127.0.0.1"), 0),
        "server": (request.headers.get("host", "localhost").partition(":")[0], None),
        "state": dict(state),
    }


def _text(value: bytes | str) -> str:
    return value if isinstance(value, str) else bytes(value).decode("latin-1")
