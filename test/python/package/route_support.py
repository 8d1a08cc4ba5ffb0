"""Shared by the tests of load-balanced endpoints: an app's routes, and requests to them without a socket."""

from __future__ import annotations

import asyncio
import json
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from app_support import PackageTest

from svc import Endpoint, Request
from svc.runtime import load_balanced
from svc.runtime._application import Application


class Got(NamedTuple):
    """An answer; `json` is the parsed body, `body` the bytes."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class RouteTest(PackageTest):
    """`self.routes(text)` declares an app's routes, `self.get(...)` and so on ask them."""

    application: Application

    def routes(self, text: str, name: str = "api_app") -> Any:
        """The routes that the file declares on its `api`, in the order of the source."""
        self.write(f"{name}.py", text)
        module = self.import_app(name)
        api: Endpoint = module.api
        made = [(method, path, name, function) for (method, path), function in api._routes.items()]
        served = load_balanced(made, endpoint="api")
        self.application = served._application
        return served

    def ask(self, method: str, target: str, body: Any = b"", headers: dict[str, str] | None = None) -> Got:
        url = urlsplit(target)
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        kind = {} if isinstance(body, bytes) else {"content-type": "application/json"}
        request = Request(method, url.path, url.query, {**kind, **(headers or {})}, raw)

        async def ask() -> Got:
            answer = await self.application.answer(request)
            pieces = answer.body if isinstance(answer.body, bytes) else b"".join([piece async for piece in answer.body])
            if answer.after is not None:
                await answer.after()
            return Got(answer.status, {name.lower(): value for name, value in answer.headers}, pieces)

        return asyncio.run(ask())

    def get(self, target: str, **options: Any) -> Got:
        return self.ask("GET", target, **options)

    def post(self, target: str, body: Any = b"", **options: Any) -> Got:
        return self.ask("POST", target, body, **options)

    def faults(self, got: Got) -> list[tuple[str, str]]:
        """Where and what, of a 422."""
        self.assertEqual(got.status, 422, got.body)
        return [(".".join(str(part) for part in fault["loc"]), fault["msg"]) for fault in got.json["detail"]]
