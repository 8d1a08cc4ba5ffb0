"""The life of an api worker: start, listen, stop.

Of a live one, the source is sent to POST /_runpod/sync, and the routes in it answer from then on.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
from collections.abc import Mapping
from typing import Any

from svc._responses import Request
from svc.runtime._answers import Answer, error_answer, to_json
from svc.runtime._application import Application
from svc.runtime._load_balanced import serve
from svc.runtime._user_code import in_pool
from svc_runtime._api_application import Served, start_application
from svc_runtime._deployed import load_deployed
from svc_runtime._handles import find_handle
from svc_runtime._live import LiveFolder, LiveSources, enter_live_mode, error_text
from svc_runtime._packages import Packages
from svc_runtime._requests import BadRequestError, names
from svc_runtime._start import StartError, live_resource

_SYNC = "/_runpod/sync"


def serve_api(env: Mapping[str, str]) -> None:
    """Serve until SIGTERM and the end of open requests. Raises StartError."""
    live = live_resource(env)
    if live is None:
        # Before there is a loop: a module may run one of its own while it is imported.
        asyncio.run(_serve_deployed(*load_deployed(env, "api")))
        return
    folder = enter_live_mode(env)
    # Known to the service and this worker only; None: it was started by hand.
    token = env.get("RUNPOD_AI_API_KEY")
    proof = hashlib.sha256(token.encode()).hexdigest() if token else None
    asyncio.run(_serve_live(live, LiveApi(folder, proof)))


async def _serve_deployed(name: str, handle: Any) -> None:
    served = await start_application(handle)
    await serve(served.application, name)
    await served.stop()


async def _serve_live(name: str, api: LiveApi) -> None:
    await serve(api, name)
    await api.stop()


class LiveApi(Application):
    """`proof`: what the header x-drydock-worker has to say for a sync; None: nothing."""

    def __init__(self, folder: LiveFolder, proof: str | None) -> None:
        super().__init__([])
        self._packages = Packages(folder.packages)
        self._sources = LiveSources(folder.sources)
        self._proof = proof
        self._source: str | None = None
        self._served: Served | None = None
        self._turn = asyncio.Lock()
        self._ending: set[asyncio.Future[None]] = set()

    async def answer(self, request: Request) -> Answer:
        """Never raises because of user code."""
        if request.path == _SYNC:
            return await self._sync(request)
        if self._served is not None:
            return await self._served.application.answer(request)
        if request.path == "/ping":
            return await super().answer(request)
        return error_answer(503, "the worker has no source yet: the session sends it with its first call")

    async def stop(self) -> None:
        served, self._served = self._served, None
        if served is not None:
            await served.stop()
        await asyncio.gather(*self._ending)

    async def _sync(self, request: Request) -> Answer:
        refused = self._refusal(request)
        if refused is not None:
            return refused
        try:
            value = request.json()
        except ValueError as error:
            return error_answer(400, f"the body is not JSON: {error}")
        if not isinstance(value, dict) or not all(isinstance(value.get(name), str) for name in ("source", "resource")):
            return error_answer(400, "the body must be an object with source and resource")
        try:
            async with self._turn:
                await self._load(value)
        except BadRequestError as error:
            return error_answer(400, str(error))
        except (Exception, SystemExit) as error:
            shown = error_text(error)
            print(f"the source could not be loaded\n{shown}", flush=True)
            return error_answer(500, shown)
        return Answer(200, [("content-type", "application/json")], to_json({"success": True}))

    def _refusal(self, request: Request) -> Answer | None:
        """A sync can run any code, so pages of browsers are refused: they send an Origin, or no JSON."""
        if request.method != "POST":
            return error_answer(405, None, [("allow", "POST")])
        if self._proof is not None and not hmac.compare_digest(
            request.headers.get("x-drydock-worker", "").encode(), self._proof.encode()
        ):
            return error_answer(403, "sources are taken from the service only")
        if "origin" in request.headers or not request.headers.get("content-type", "").startswith("application/json"):
            return error_answer(403, "sources are taken as JSON, and from no browser")
        return None

    async def _load(self, value: dict[str, Any]) -> None:
        source, resource = value["source"], value["resource"]
        dependencies, system = names(value, "dependencies"), names(value, "system_dependencies")
        if source == self._source:
            return
        await in_pool(self._packages.provide, dependencies, system)
        module = await in_pool(self._sources.module_of, source, lambda _: None)
        handle = find_handle(module, resource)
        if handle is None:
            raise StartError(f'the source declares no api "{resource}"')
        served = await start_application(handle)
        before, self._served, self._source = self._served, served, source
        if before is not None:  # its open requests end first
            task = asyncio.ensure_future(before.stop())
            self._ending.add(task)
            task.add_done_callback(self._ending.discard)
