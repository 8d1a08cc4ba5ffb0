"""The handler of a queue resource, deployed or live, and the `config` that svc_worker reads with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from svc.runtime._queue import Job, Signature, fields_of, make_handler
from svc_runtime._deployed import load_deployed
from svc_runtime._handles import body_of, init_of
from svc_runtime._hooks import HookError, prestart_failure, run_init
from svc_runtime._start import StartError, concurrency, live_resource
from svc_worker import _logs

Handler = Callable[[Job], Any]


def queue_program(env: Mapping[str, str]) -> tuple[Handler, dict[str, Any]]:
    """Handler and config. The end of a stream repeats its chunks, as the platform's workers do. Raises StartError."""
    resource = live_resource(env)
    handler, more = _deployed_handler(env) if resource is None else (_live_handler(resource, env), {})
    at_once = concurrency(env)
    return handler, {"return_aggregate_stream": True, **more, **({} if at_once is None else {"concurrency": at_once})}


def _deployed_handler(env: Mapping[str, str]) -> tuple[Handler, dict[str, Any]]:
    """A task is deployed only for its schedule, and each run gets its own worker."""
    name, handle = load_deployed(env, "queue", "task")
    function = body_of(handle)
    signature = Signature(function, getattr(function, "__name__", name))
    try:
        run_init(init_of(handle), name)
    except HookError as error:
        raise StartError(str(error)) from error.__cause__

    failure = prestart_failure()
    if failure is not None:
        _logs.report(f"prestart_failed | {failure}", "ERROR")
        return lambda _job: {"error": failure, "refresh_worker": True}, {}

    handler = make_handler(function, lambda job: signature.call(fields_of(job)))
    return handler, {"refresh_worker": True} if handle.spec.kind == "task" else {}


def _live_handler(resource: str, env: Mapping[str, str]) -> Handler:
    from svc_runtime._live import LiveFunctions, enter_live_mode
    from svc_runtime._live_handler import live_handler

    return live_handler(LiveFunctions(resource, enter_live_mode(env)))
