"""Follows a prompt over the socket; after silence or a lost connection the queue and the history are asked."""

from __future__ import annotations

import http.client
import json
import time
from collections.abc import Callable
from typing import Any, NamedTuple

from comfy_worker._failure import Failure, network_reason
from comfy_worker._process import ComfyProcess
from comfy_worker._progress import read_preview
from comfy_worker._prompt import place_of
from comfy_worker._server import Server
from comfy_worker._settings import Settings
from comfy_worker._web_socket import SocketClosed, WebSocket

# Seconds. source: the public image worker.
OPEN_S = 10.0
# Seconds until a cancel is seen while the server says nothing.
LOOK_S = 0.2
QUIET_S = 15.0
MESSAGE_MAX = TRACEBACK_MAX = 10_000
FEATURES = json.dumps({"type": "feature_flags", "data": {"supports_preview_metadata": True}})


class Outcome(NamedTuple):
    """`kind`: ended, failed or interrupted."""

    kind: str
    node: str | None = None
    node_class: str | None = None
    message: str = ""
    reason: str = ""
    traceback: str | None = None


def open_events(server: Server, client_id: str) -> WebSocket:
    socket = WebSocket(server.host, server.port, server.path("ws", clientId=client_id), OPEN_S)
    socket.send(FEATURES)
    return socket


class Follower:
    def __init__(
        self,
        server: Server,
        process: ComfyProcess | None,
        settings: Settings,
        *,
        client_id: str,
        check: Callable[[], None],
        log: Callable[[str], None],
    ) -> None:
        self._server, self._process, self._settings = server, process, settings
        self._client_id, self._check, self._log = client_id, check, log
        try:
            self._socket = open_events(server, client_id)
        except OSError as error:
            raise Failure(f"WebSocket communication error: {network_reason(error)}") from error

    def close(self) -> None:
        self._socket.close()

    def follow(self, prompt_id: str, on_message: Callable[..., None], on_preview: Callable[..., None]) -> Outcome:
        """Calls `on_message(kind, data)`, (None, None) in pauses. Raises Failure when the server is gone."""
        misses, quiet_since, has_told = 0, time.monotonic(), False
        while True:
            self._check()
            lost: OSError | None = None
            try:
                received = self._socket.receive(LOOK_S)
            except OSError as error:
                received, lost = None, error
            if isinstance(received, bytes):
                quiet_since = time.monotonic()
                if preview := read_preview(received):
                    on_preview(preview)
            elif received is not None:
                quiet_since = time.monotonic()
                kind, data = _read_message(received)
                if outcome := outcome_of(kind, data, prompt_id):
                    return outcome
                on_message(kind, data)
            elif lost is not None or time.monotonic() - quiet_since >= QUIET_S:
                if lost is not None:
                    self._reconnect(lost)
                quiet_since = time.monotonic()
                place = self._look(prompt_id)
                if place == "ended":
                    return Outcome("ended")
                if place == "pending" and not has_told:
                    self._log(f"ComfyUI at {self._server.name} is working on other prompts.")
                    has_told = True
                misses = misses + 1 if place == "unknown" else 0
                # One miss may be the moment between the queue and the history.
                if misses > (0 if lost is not None else 1):
                    raise self._forgotten(prompt_id)
            else:
                on_message(None, {})

    def _look(self, prompt_id: str) -> str:
        try:
            return place_of(self._server, prompt_id)
        except (OSError, http.client.HTTPException, ValueError) as error:
            self._log(f"ComfyUI at {self._server.name} does not tell where the prompt is: {network_reason(error)}")
            return "running"

    def _reconnect(self, why: OSError) -> None:
        self._log(f"The connection to ComfyUI at {self._server.name} was lost: {network_reason(why)}")
        self._socket.close()
        last: OSError = why
        attempts = self._settings.reconnect_attempts
        for attempt in range(1, attempts + 1):
            self._check()
            if self._process is not None and self._process.has_ended():
                break
            try:
                self._socket = open_events(self._server, self._client_id)
                return
            except OSError as error:
                last = error
                self._log(f"Attempt {attempt} of {attempts} to connect again failed: {network_reason(error)}")
            if attempt < attempts:
                self._pause(self._settings.reconnect_delay_s)
        hint = f". ComfyUI at {self._server.name} may have ended; see its log" if self._process is None else ""
        raise Failure(
            "WebSocket communication error: Connection closed and failed to reconnect. "
            f"Last error: {network_reason(last)}{hint}"
        ) from last

    def _pause(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self._check()
            if self._process is not None and self._process.has_ended():
                return
            time.sleep(min(LOOK_S, seconds))

    def _forgotten(self, prompt_id: str) -> Failure:
        return Failure(
            f"Prompt ID {prompt_id} not found in history after execution. "
            f"ComfyUI at {self._server.name} was restarted or its queue was cleared; send the job again"
        )


def _read_message(text: str) -> tuple[str | None, dict[str, Any]]:
    try:
        message = json.loads(text)
    except ValueError:
        return None, {}
    kind, data = (message.get("type"), message.get("data")) if isinstance(message, dict) else (None, None)
    return (kind, data) if isinstance(kind, str) and isinstance(data, dict) else (None, {})


def outcome_of(kind: str | None, data: dict[str, Any], prompt_id: str) -> Outcome | None:
    """How the prompt ended, where the message says so."""
    if data.get("prompt_id") != prompt_id:
        return None
    if kind == "execution_success" or (kind == "executing" and data.get("node") is None):
        return Outcome("ended")
    at = {"node": data.get("node_id"), "node_class": data.get("node_type")}
    if kind == "execution_interrupted":
        return Outcome("interrupted", **at, reason="it was interrupted on the server")
    if kind != "execution_error":
        return None
    message = str(data.get("exception_message") or "")[:MESSAGE_MAX]
    # The message of a KeyError is a key alone, so a single word has its type before it.
    type_name = str(data.get("exception_type") or "").rpartition(".")[2]
    words = message.strip()
    reason = words if " " in words or "\n" in words else ": ".join(part for part in (type_name, words) if part)
    lines = "".join(line for line in data.get("traceback") or [] if isinstance(line, str))
    trace = f"Traceback (most recent call last):\n{lines[-TRACEBACK_MAX:]}" if lines else None
    return Outcome("failed", **at, message=message, reason=reason, traceback=trace)
