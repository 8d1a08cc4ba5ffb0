"""Answers the requests of a load-balanced endpoint; knows nothing of sockets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from svc._kinds import is_async, is_async_generator
from svc._left_out import explain
from svc._responses import HTTPError, Request
from svc.runtime._answers import Answer, answer_for, error_answer, to_json
from svc.runtime._parameters import BadRequestError, Parameters
from svc.runtime._route_table import Match, Route, find_route
from svc.runtime._user_code import in_pool, print_traceback

# Bytes of a request's body; source: docs/spec/job-api.md, 10.
BODY_LIMIT = 30 * 1024 * 1024

_HEALTHY = Answer(200, [("content-type", "application/json")], to_json({"status": "healthy"}))


class Application:
    """The routes of one endpoint. Raises what reading their signatures raises."""

    def __init__(self, routes: Sequence[Route]) -> None:
        self._routes = routes
        self._parameters = {route: Parameters(route.function, route.method, route.path) for route in routes}

    async def answer(self, request: Request) -> Answer:
        """Never raises because of user code: an exception there is an answer too."""
        is_ping = request.path == "/ping"
        # A route like /{name} is not meant: its answer would say by chance whether the worker is well.
        routes = [route for route in self._routes if route.path == "/ping"] if is_ping else self._routes
        found = find_route(routes, request.method, request.path)
        if isinstance(found, Match):
            return await self._call(found, request)
        if is_ping and request.method in ("GET", "HEAD"):
            return _HEALTHY
        allowed = sorted({*found, "GET", "HEAD"}) if is_ping else found
        if allowed:
            return error_answer(405, None, [("allow", ", ".join(allowed))])
        return error_answer(404, None)

    def only_ping(self) -> Application:
        """The same answer to GET /ping, and nothing else: for the port that is asked for health."""
        return Application([route for route in self._routes if (route.method, route.path) == ("GET", "/ping")])

    async def _call(self, found: Match, request: Request) -> Answer:
        route = found.route
        try:
            arguments = self._parameters[route].read(request, found.values)
            value = await _run(route.function, arguments)
            return await answer_for(value, request.headers.get("accept", ""))
        except BadRequestError as error:
            return error_answer(422, error.faults, error=str(error))
        except HTTPError as error:
            return error_answer(error.status, error.detail, error.headers.items())
        # Also SystemExit: no request may end the worker. KeyboardInterrupt and cancels are not the user's.
        except (Exception, SystemExit) as error:
            status = getattr(error, "status_code", None)
            if isinstance(status, int) and hasattr(error, "detail"):  # FastAPI's and starlette's HTTPException
                return error_answer(status, error.detail, (getattr(error, "headers", None) or {}).items())
            explain(error)
            print_traceback(error, f"svc: {route.method} {route.path} failed")
            kind = type(error).__name__
            return error_answer(500, f"{kind}: {error}", error_type=kind, error_message=str(error))


async def _run(function: Any, arguments: dict[str, Any]) -> Any:
    if is_async_generator(function):
        return function(**arguments)
    if is_async(function):
        return await function(**arguments)
    value = await in_pool(function, **arguments)
    return await value if hasattr(value, "__await__") else value
