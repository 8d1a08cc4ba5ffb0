"""The worker: its server, and the handler that the public SDK or svc_worker calls."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from comfy_worker._failure import Cancelled, Failure
from comfy_worker._job import Context, run_job, wait_for_server
from comfy_worker._process import ComfyProcess, has_card
from comfy_worker._server import Server
from comfy_worker._settings import Settings, read_settings


class ComfyWorker:
    """One for the process: both SDKs may import the handler's file under a name of their own."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.process = None if settings.server is not None else ComfyProcess(settings)
        address = settings.server or f"http://{settings.host}:{settings.port}"
        self.server = Server(address)

    def start(self) -> None:
        """Waits for the server. Raises Failure: a worker that cannot run a job must not take one."""
        if self.settings.expects_card and not has_card():
            raise Failure("No GPU is visible in this container, though it was given one. Check the driver.")
        if not has_card():
            _log("No GPU is visible: ComfyUI runs on the CPU.")
        if not self.settings.is_test:
            wait_for_server(self.context("", lambda value: None, lambda: None))

    async def handle(self, job: dict[str, Any]) -> dict[str, Any]:
        """Runs in a thread, since both SDKs cancel a coroutine and go on with other work meanwhile."""
        cancelled = threading.Event()

        def check() -> None:
            if cancelled.is_set():
                raise Cancelled

        context = self.context(str(job.get("id", "")), progress_of(job), check)
        work = asyncio.ensure_future(asyncio.to_thread(run_job, job.get("input"), context))
        try:
            return await asyncio.shield(work)
        except asyncio.CancelledError:
            cancelled.set()
            await asyncio.wait([work])
            work.exception()
            raise

    def context(self, job_id: str, progress: Callable[[Any], None], check: Callable[[], None]) -> Context:
        return Context(self.settings, self.server, self.process, job_id, progress, _log, check)


def progress_of(job: dict[str, Any]) -> Callable[[Any], None]:
    if "svc_worker._worker" in sys.modules:
        from svc_worker import progress

        return progress
    if "runpod.serverless" not in sys.modules or "RUNPOD_WEBHOOK_POST_OUTPUT" not in os.environ:
        return lambda value: None
    from runpod.serverless import progress_update

    return lambda value: progress_update(job, value)


def _log(line: str) -> None:
    print(f"comfy_worker: {line}", flush=True)


_worker: ComfyWorker | None = None


def worker() -> ComfyWorker:
    global _worker
    if _worker is None:
        _worker = ComfyWorker(read_settings(os.environ))
    return _worker
