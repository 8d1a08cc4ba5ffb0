"""The life of an api worker: start, listen, stop."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping
from typing import Any

from svc.runtime._load_balanced import serve
from svc_runtime._api_application import start_application
from svc_runtime._deployed import load_deployed
from svc_runtime._live_api import LiveApi
from svc_runtime._live_folder import enter_live_folder
from svc_runtime._models import configure_model
from svc_runtime._mounts import configure_mounts
from svc_runtime._sdk import provide_sdk
from svc_runtime._start import live_resource


def serve_api(env: Mapping[str, str]) -> None:
    """Serve until SIGTERM and the end of open requests. Raises StartError."""
    live = live_resource(env)
    if live is None:
        # Before there is a loop: a module may run one of its own while it is imported.
        resource, handle = load_deployed(env, "api")
        asyncio.run(_serve_deployed(resource.name, handle))
        return
    provide_sdk(env)
    configure_mounts(env.get("RUNPOD_MOUNTS"))
    configure_model(env)
    folder = enter_live_folder(env)
    asyncio.run(_serve_live(live, LiveApi(folder, _proof_of(env.get("RUNPOD_AI_API_KEY")))))


def _proof_of(token: str | None) -> str | None:
    """What only the service and this worker know: the hash of its token. None: it was started by hand."""
    return hashlib.sha256(token.encode()).hexdigest() if token else None


async def _serve_deployed(name: str, handle: Any) -> None:
    served = await start_application(handle)
    await serve(served.application, name)
    await served.stop()


async def _serve_live(name: str, api: LiveApi) -> None:
    await serve(api, name)
    await api.stop()
