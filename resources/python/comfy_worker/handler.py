"""The handler's file, which svc_worker imports; it needs no package of the public SDK."""

from __future__ import annotations

from typing import Any

from comfy_worker._worker import worker


async def handler(job: dict[str, Any]) -> dict[str, Any]:
    return await worker().handle(job)
