"""A prompt on its way to the server, in its queue and out of it."""

from __future__ import annotations

import base64
import binascii
import http.client
import re
import time
from collections.abc import Callable
from typing import Any

from comfy_worker._failure import Failure, network_reason
from comfy_worker._input import JobInput
from comfy_worker._refusal import fault_sentence, hint, node_faults, refusal, shown
from comfy_worker._server import HISTORY_S, Server

# Seconds. source: the public image worker.
UPLOAD_S = QUEUE_S = 30.0
# Total in seconds, below the 5 s in which a cancelled job has to end.
INTERRUPT_S = 4.0


def upload_images(server: Server, images: list[dict[str, Any]], check: Callable[[], None]) -> None:
    """Raises Failure with all images that could not be sent."""
    faults = []
    for image in images:
        check()
        if fault := _upload(server, image["name"], image["image"]):
            faults.append(fault)
    if faults:
        raise Failure("Failed to upload one or more input images", details=faults)


def _upload(server: Server, name: Any, image: Any) -> str | None:
    if not isinstance(name, str):
        return f"Unexpected error uploading {name}: its name is not text"
    if not isinstance(image, str):
        return f"Unexpected error uploading {name}: it is not text"
    if re.match(r"https?://", image, re.IGNORECASE):
        return f"Error uploading {name}: URLs are not supported. Send the file as base64"
    if re.match(r"[\\/]|[a-z]:", name, re.IGNORECASE) or ".." in re.split(r"[\\/]", name):
        return f"Error uploading {name}: the name is outside the input folder. Use a relative name without .."
    if re.search(r"[\x00-\x1f\x7f]", name):
        return f"Error uploading {name!r}: the name has control characters"
    folder, _, file_name = name.rpartition("/")
    try:
        content = base64.b64decode(image.partition(",")[2] if "," in image else image)
        fields = {**({"subfolder": folder} if folder else {}), "overwrite": "true"}
        answer = server.post_form(server.path("upload/image"), fields, file_name, content, timeout=UPLOAD_S)
    except binascii.Error as error:
        return f"Error decoding base64 for {name}: {error}"
    except TimeoutError:
        return f"Timeout uploading {name}"
    except (OSError, http.client.HTTPException) as error:
        return f"Error uploading {name}: {network_reason(error)}"
    return None if answer.status < 300 else f"Error uploading {name}: {answer.sentence}"


def queue_prompt(server: Server, job: JobInput, client_id: str, key: str | None) -> tuple[str, list[str]]:
    """The prompt's id, and what the server leaves out of it. Raises Failure with its objections."""
    extra: dict[str, Any] = {"preview_method": "auto"}
    if key:
        extra["api_key_comfy_org"] = key
    if job.comfy_org_token:
        extra["auth_token_comfy_org"] = job.comfy_org_token
    if job.extra_png_info is not None:
        extra["extra_pnginfo"] = job.extra_png_info
    body = {"prompt": _without_cache_notes(job.workflow), "client_id": client_id, "extra_data": extra}
    try:
        answer = server.post_json(server.path("prompt"), body, timeout=QUEUE_S)
    except (OSError, http.client.HTTPException) as error:
        raise Failure(f"Error queuing workflow: {network_reason(error)}") from error
    if answer.status == 400:
        raise refusal(server, answer, job.workflow)
    if answer.status != 200:
        raise Failure(f"Error queuing workflow: {answer.sentence}{hint(job.workflow)}")
    queued = answer.json()
    prompt_id = queued.get("prompt_id")
    if not isinstance(prompt_id, str) or not prompt_id:
        raise Failure(f"Missing 'prompt_id' in queue response: {shown(answer.text)}")
    ignored = node_faults(queued.get("node_errors"))
    return prompt_id, [f"The server ignored this: {fault_sentence(fault)}" for fault in ignored]


def _without_cache_notes(workflow: Any) -> Any:
    """A server believes the `is_changed` of a payload, and would answer with old results."""
    if not isinstance(workflow, dict):
        return workflow
    return {
        node: {name: value for name, value in facts.items() if name != "is_changed"} if isinstance(facts, dict) else facts
        for node, facts in workflow.items()
    }


def read_history(server: Server, prompt_id: str) -> dict[str, Any] | None:
    record = server.ask_json(server.path(f"history/{prompt_id}")).get(prompt_id)
    return record if isinstance(record, dict) else None


def place_of(server: Server, prompt_id: str) -> str:
    """running, pending, ended or unknown. The queue first: what leaves it in between is then in the history."""
    queued = _place_in_queue(server, prompt_id, HISTORY_S)
    if queued is not None:
        return queued
    return "unknown" if read_history(server, prompt_id) is None else "ended"


def _place_in_queue(server: Server, prompt_id: str, timeout: float) -> str | None:
    queue = server.ask_json(server.path("queue"), timeout=timeout)
    for name, place in (("queue_running", "running"), ("queue_pending", "pending")):
        if any(isinstance(entry, list) and entry[1:2] == [prompt_id] for entry in queue.get(name) or []):
            return place
    return None


def interrupt_prompt(server: Server, prompt_id: str, log: Callable[[str], None]) -> None:
    """Takes it out of the queue, or interrupts it where it runs; prompts of others go on."""
    until = time.monotonic() + INTERRUPT_S
    left = lambda: max(0.1, until - time.monotonic())  # noqa: E731
    try:
        server.post_json(server.path("queue"), {"delete": [prompt_id]}, timeout=left())
        if _place_in_queue(server, prompt_id, left()) == "running":
            server.post_json(server.path("interrupt"), {"prompt_id": prompt_id}, timeout=left())
    except (OSError, http.client.HTTPException, ValueError) as error:
        log(f"ComfyUI at {server.name} could not be stopped: {network_reason(error)}")
