"""Results of a prompt: listed from its history, fetched, and put into the output of the job."""

from __future__ import annotations

import base64
import http.client
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from comfy_worker import _bucket
from comfy_worker._failure import Failure, network_reason
from comfy_worker._follow import Outcome
from comfy_worker._media import media_type
from comfy_worker._progress import Preview
from comfy_worker._server import Server
from comfy_worker._settings import Settings

# Seconds for one file. source: the public image worker.
FETCH_S = 60.0
MIB = 1024 * 1024
RESULTS_MAX, PREVIEWS_MAX = 1000, 100
# Servers do not mark such pictures: they look like previews.
SENDING_CLASS = re.compile(r"web_?socket", re.IGNORECASE)


class Listed(NamedTuple):
    """A file on the server at `path`, or its content."""

    node: str
    filename: str
    path: str | None
    content: bytes | None = None


def list_results(server: Server, outputs: dict[str, Any]) -> tuple[list[Listed], list[Listed], list[str]]:
    """Files and texts under any key; temporary files, which are previews; faults."""
    results: list[Listed] = []
    previews: list[Listed] = []
    faults: list[str] = []
    left_out = 0
    for node, output in outputs.items():
        for key, items in output.items() if isinstance(output, dict) else ():
            for at, item in enumerate(items if isinstance(items, list) else [items]):
                found = _read_item(server, item, node, key, at)
                if isinstance(found, Listed) and isinstance(item, dict) and item.get("type") == "temp":
                    previews.append(found)
                elif found is not None and len(results) + len(faults) >= RESULTS_MAX:
                    left_out += 1
                elif isinstance(found, str):
                    faults.append(found)
                elif found is not None:
                    results.append(found)
    if left_out:
        faults.append(f"{left_out} more results were left out: the limit of a job is {RESULTS_MAX}.")
    return results, previews[:PREVIEWS_MAX], faults


def _read_item(server: Server, item: Any, node: str, key: str, at: int) -> Listed | str | None:
    if isinstance(item, str):
        name = f"{_plain(node)}_{_plain(key)}{'' if at == 0 else f'_{at + 1}'}.txt"
        return Listed(node, name, None, item.encode()) if item else None
    if not isinstance(item, dict):
        return None
    source, kind, filename = item.get("source"), item.get("type"), item.get("filename") or ""
    if source == "websocket":
        return None
    if source == "http" and re.fullmatch(r"[\w-]{1,100}", str(item.get("id", ""))):
        image = re.fullmatch(r"image/(\w+)", str(item.get("content-type", "")))
        name = f"etn_{item['id']}.{image.group(1) if image else 'png'}"
        return Listed(node, name, server.path(f"api/etn/image/{item['id']}"))
    if not isinstance(kind, str) or (kind == "temp" and not filename):
        return None
    if not filename:
        return f"Skipping image in node {node} due to missing filename: {item}"
    path = server.path("view", filename=filename, subfolder=item.get("subfolder") or "", type=kind)
    return Listed(node, filename, path)


def _plain(name: str) -> str:
    return re.sub(r"[^\w.-]", "_", name)


class SocketPictures:
    """Pictures that nodes send over the socket and save nowhere."""

    def __init__(self, workflow: Any) -> None:
        nodes = workflow.items() if isinstance(workflow, dict) else ()
        self._sent: dict[str, list[Listed]] = {
            node: []
            for node, facts in nodes
            if isinstance(facts, dict) and SENDING_CLASS.search(str(facts.get("class_type", "")))
        }

    def take(self, node: str | None, preview: Preview) -> bool:
        if node is None or node not in self._sent:
            return False
        ending = "png" if preview.kind == "image/png" else "jpg"
        at = len(self._sent[node]) + 1
        self._sent[node].append(Listed(node, f"websocket_{_plain(node)}_{at:05}.{ending}", None, preview.picture))
        return True

    def results(self) -> list[Listed]:
        return [one for pictures in self._sent.values() for one in pictures]

    def faults(self) -> list[str]:
        return [
            f"Node {node} sends its pictures over the WebSocket, but none arrived. Run the job again."
            for node, pictures in self._sent.items()
            if not pictures
        ]


class Collector:
    """Fetches results until the output is full."""

    def __init__(self, server: Server, settings: Settings, job_id: str, check: Callable[[], None]) -> None:
        self._server, self._settings, self._job_id, self._check = server, settings, job_id, check
        self._left = settings.result_bytes

    def collect(self, listed: list[Listed]) -> tuple[list[dict[str, Any]], list[str]]:
        found: list[dict[str, Any]] = []
        faults: list[str] = []
        for one in listed:
            self._check()
            entry = self._entry(one)
            if isinstance(entry, str):
                faults.append(entry)
            else:
                found.append(entry)
        return found, faults

    def _entry(self, one: Listed) -> dict[str, Any] | str:
        failed = f"Failed to fetch image data for {one.filename} from /view endpoint."
        content = one.content
        if content is None:
            try:
                answer = self._server.ask(one.path or "", timeout=FETCH_S)
            except (OSError, http.client.HTTPException) as error:
                return f"{failed} {network_reason(error)}."
            if answer.status != 200:
                return f"{failed} The server answered HTTP {answer.status}."
            content = answer.body
        if not content:
            return failed
        media = media_type(content, one.filename)
        about = {"filename": one.filename, "node": one.node, "mediaType": media}
        if self._settings.bucket is not None:
            try:
                return {**about, "type": "s3_url", "data": _bucket.upload(self._job_id, one.filename, content, media)}
            except Exception as error:
                return f"Error uploading {one.filename} to S3: {error}"
        if len(content) > self._left:
            room = f"only {self._left / MIB:.1f} MiB were left"
            return f"{one.filename} does not fit into the result: {room}. Set BUCKET_ENDPOINT_URL to upload results."
        self._left -= len(content)
        return {**about, "type": "base64", "data": base64.b64encode(content).decode()}


def answer_for(
    prompt_id: str,
    outcome: Outcome,
    record: dict[str, Any] | None,
    *,
    images: list[dict[str, Any]],
    previews: list[dict[str, Any]],
    faults: list[str],
) -> dict[str, Any]:
    """The output of the job. Raises Failure."""
    told = []
    if outcome.kind != "ended":
        place = f"Node Type: {outcome.node_class or 'unknown'}, Node ID: {outcome.node or 'unknown'}"
        told = [f"Workflow execution error: {place}, Message: {outcome.message or outcome.reason}"]
    not_found = f"Prompt ID {prompt_id} not found in history after execution."
    if record is None and not told:
        raise Failure(not_found)
    if record is None:
        raise _failure("Job processing failed, prompt ID not found in history.", outcome, [*told, not_found])
    is_empty = not (images or faults or told or record.get("outputs"))
    errors = [f"No outputs found in history for prompt {prompt_id}."] if is_empty else [*told, *faults]
    if not images and errors:
        raise _failure("Job processing failed", outcome, errors)
    more = {"previews": previews} if previews else {}
    if not images:
        return {"status": "success_no_images", "images": [], **more}
    return {"images": images, **more, **({"errors": errors} if errors else {})}


def as_message(output: dict[str, Any]) -> dict[str, Any]:
    """The output of the public image worker before version 5: one image, the last one."""
    images = output.get("images") or []
    if not images:
        return {"status": "error", "message": "the workflow produced no images"}
    return {"status": "success", "message": images[-1]["data"]}


def _failure(sentence: str, outcome: Outcome, details: list[str]) -> Failure:
    facts = {"node": outcome.node, "class": outcome.node_class, "reason": outcome.reason, "traceback": outcome.traceback}
    known = {} if outcome.kind == "ended" else facts
    return Failure(f"{sentence.rstrip('.')}: {details[0].strip() if details else ''}", details=details, **known)
