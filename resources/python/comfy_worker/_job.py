"""Runs one job: from its input to the output in the public image worker's protocol."""

from __future__ import annotations

import http.client
import json
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from comfy_worker._failure import Cancelled, Failure, network_reason
from comfy_worker._follow import Follower
from comfy_worker._input import JobInput, read_input
from comfy_worker._process import ComfyProcess
from comfy_worker._progress import Preview, Progress
from comfy_worker._prompt import interrupt_prompt, queue_prompt, read_history, upload_images
from comfy_worker._results import Collector, SocketPictures, answer_for, as_message, list_results
from comfy_worker._server import Server
from comfy_worker._settings import Settings

# Seconds of one attempt. source: the public image worker.
LOOK_S = 5.0
LOOK_MAX_S = 1.0
# Attempts on a server of others. source: the public image worker.
ATTEMPTS = 500
# The server announces the end of a prompt a moment before its history has it.
HISTORY_LOOKS, HISTORY_EVERY_S = 250, 0.02
TITLE_MAX = 200
# Seconds from a lost connection to the end of its process.
ENDS_WITHIN_S = 2.0


@dataclass(frozen=True)
class Context:
    """The worker's side of a job. `check` raises Cancelled."""

    settings: Settings
    server: Server
    process: ComfyProcess | None
    job_id: str
    progress: Callable[[Any], None]
    log: Callable[[str], None]
    check: Callable[[], None]


def run_job(given: Any, context: Context) -> dict[str, Any]:
    """The output; `error` in it makes the job fail. Raises Cancelled."""
    settings, workflow = context.settings, None
    try:
        job = read_input(given)
        workflow = job.workflow
        if job.test is not None:
            from comfy_worker._steps import run_steps

            output = run_steps(job, context)
        else:
            output = run_prompt(job, context)
        if settings.answers_with_message and job.test is None:
            output = as_message(output)
    except Failure as failure:
        output = _failed(failure, workflow, settings)
    except Cancelled:
        raise
    except Exception as error:
        output = {"error": f"An unexpected error occurred: {error}"}
    return {**output, "refresh_worker": True} if settings.refreshes else output


def wait_for_server(context: Context) -> None:
    """Starts it if it has ended. Raises Failure if it does not answer."""
    settings, process, server = context.settings, context.process, context.server
    attempts = settings.look_attempts or (ATTEMPTS if process is None else None)
    pause, why, attempt = settings.look_every_s, "", 0
    if process is not None:
        process.ensure()
    while attempts is None or attempt < attempts:
        attempt += 1
        context.check()
        try:
            answer = server.ask(server.path("system_stats"), timeout=LOOK_S)
            if answer.status == 200 and isinstance(answer.json(), dict):
                return
            why = f"The last try: {answer.sentence}."
        except (OSError, http.client.HTTPException, ValueError) as error:
            why = f"The last try: {network_reason(error)}."
        if process is not None and (ended := process.why_ended()) is not None:
            why = f"It {ended}"
            break
        if attempt == 1:
            context.log(f"Waiting for ComfyUI at {server.name}.")
        time.sleep(pause)
        pause = min(pause * 1.5, LOOK_MAX_S)
    raise Failure(f"ComfyUI server ({server.name}) not reachable after multiple retries. {why}")


def run_prompt(job: JobInput, context: Context) -> dict[str, Any]:
    wait_for_server(context)
    try:
        return _run_on_server(job, context)
    except Failure as failure:
        process, is_lost = context.process, isinstance(failure.__cause__, (OSError, http.client.HTTPException))
        if process is None or not is_lost or not process.has_ended(ENDS_WITHIN_S):
            raise
        text = f"{failure.message}. ComfyUI {process.why_ended()}\nIt is started again for the next job."
        raise Failure(text, **failure.facts) from failure


def _run_on_server(job: JobInput, context: Context) -> dict[str, Any]:
    settings, server, check, log = context.settings, context.server, context.check, context.log
    upload_images(server, job.images, check)
    client_id = str(uuid.uuid4())
    follower = Follower(server, context.process, settings, client_id=client_id, check=check, log=log)
    try:
        check()
        prompt_id, left_out = queue_prompt(server, job, client_id, job.comfy_org_key or settings.comfy_org_key)
        try:
            return _finish(job, context, follower, prompt_id, left_out)
        except BaseException:
            # Cancels it even if the server is only slow: nobody would fetch its result.
            if context.process is None or not context.process.has_ended():
                interrupt_prompt(server, prompt_id, log)
            raise
    finally:
        follower.close()


def _finish(
    job: JobInput, context: Context, follower: Follower, prompt_id: str, left_out: list[str]
) -> dict[str, Any]:
    settings, server = context.settings, context.server
    nodes = job.workflow if isinstance(job.workflow, dict) else ()
    limits = {"every_s": settings.progress_s, "preview_bytes": settings.preview_bytes}
    progress = Progress(nodes, prompt_id, **limits, tell=context.progress)
    sent = SocketPictures(job.workflow)

    def on_message(kind: str | None, data: dict[str, Any]) -> None:
        if kind is not None:
            progress.take(kind, data)
        progress.tell_if_due()

    def on_preview(preview: Preview) -> None:
        if not sent.take(preview.node or progress.node, preview):
            progress.take_preview(preview)
        progress.tell_if_due()

    outcome = follower.follow(prompt_id, on_message, on_preview)
    record = _history(context, prompt_id)
    results, listed_previews, faults = list_results(server, (record or {}).get("outputs") or {})
    collector = Collector(server, settings, context.job_id, context.check)
    images, not_fetched = collector.collect([*sent.results(), *results])
    previews, lost = collector.collect(listed_previews if job.wants_previews else [])
    for line in lost:
        context.log(line)
    not_sent = sent.faults() if outcome.kind == "ended" else []
    all_faults = [*left_out, *faults, *not_sent, *not_fetched]
    return answer_for(prompt_id, outcome, record, images=images, previews=previews, faults=all_faults)


def _history(context: Context, prompt_id: str) -> dict[str, Any] | None:
    try:
        for _ in range(HISTORY_LOOKS):
            context.check()
            record = read_history(context.server, prompt_id)
            if record is not None:
                return record
            time.sleep(HISTORY_EVERY_S)
        return None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise Failure(f"HTTP communication error with ComfyUI: {network_reason(error)}") from error


def _failed(failure: Failure, workflow: Any, settings: Settings) -> dict[str, Any]:
    """Drydock's pages show an error at its node; other clients expect a sentence."""
    facts, node = failure.facts, failure.facts.get("node")
    if node is not None and settings.in_drydock:
        return {"error": json.dumps({"message": failure.message, **_title(node, workflow), **facts})}
    details = {"details": facts["details"]} if facts.get("details") else {}
    return {"error": failure.message, **details}


def _title(node: str, workflow: Any) -> dict[str, str]:
    facts = workflow.get(node) if isinstance(workflow, dict) else None
    meta = facts.get("_meta") if isinstance(facts, dict) else None
    title = meta.get("title") if isinstance(meta, dict) else None
    if not isinstance(title, str) or not title or title == facts.get("class_type"):
        return {}
    return {"title": title[:TITLE_MAX]}
