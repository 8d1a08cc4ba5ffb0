"""From an api resource to the application that answers its requests.

A class has its routes served by FastAPI where the app brings it, as every build of an api does: then parameters, forms
and errors are what its author knows from there. Without it the routes of `svc.runtime` answer. A function gives an ASGI
application of its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from svc.runtime._application import Application
from svc.runtime._route_table import make_route
from svc.runtime._user_code import in_pool
from svc_runtime._asgi_host import AsgiApplication
from svc_runtime._handles import body_of
from svc_runtime._start import StartError


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
