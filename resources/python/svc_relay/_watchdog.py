"""Ends the workers of a service that they cannot reach any more, so that no card burns for nobody.

It asks once a second, through the same tunnel as the workers, whether the service answers. After a time without an
answer it stops all workers of this service on this machine, and says so in its output, line by line as JSON, which the
service reads when it is back. When none is left it stops the relay and ends too: a service that comes back starts both.
"""

from __future__ import annotations

import json
import signal
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from typing import Any
from urllib.parse import quote, urlencode

from svc_relay._addresses import Address, Http, UnixAddress

# Labels of the service's containers. Source: src-main/runtimes/docker/labels.ts.
_SERVICE = "svc.service"
_WORKER = "svc.worker"
_RELAY = "svc.part=relay"

_EVERY_S = 1.0
# An answer that takes longer does not count: a worker's call would hang as well.
_ANSWER_S = 5.0
# As the service gives its own workers. Source: stopGraceMs of src-main/contract/limits.ts.
_GRACE_S = 5
_AT_ONCE = 16
# No Content: what the service answers to its own id.
_HERE = 204
# The engine answers when the container has ended, and it may be busy.
_TIMEOUT_S = 60.0


class EngineError(Exception):
    """The engine does not answer, or refused."""


class Engine:
    """An engine at a socket of the file system."""

    def __init__(self, path: str) -> None:
        self._address = UnixAddress(path)

    def running(self, labels: list[str]) -> list[str]:
        """Ids of the containers, also paused, with all these labels: `name` or `name=value`. Raises EngineError."""
        query = urlencode({"filters": json.dumps({"label": labels})})
        return [one["Id"] for one in json.loads(self._ask("GET", f"/containers/json?{query}", {200}))]

    def stop(self, container_id: str, grace_s: int) -> None:
        """Stop a container, which may have ended meanwhile; it is paused no more. Raises EngineError."""
        self._ask("POST", f"/containers/{quote(container_id, safe='')}/stop?t={grace_s}", {204, 304, 404})

    def _ask(self, method: str, path: str, well: set[int]) -> bytes:
        try:
            status, body = _answer_to(self._address, _TIMEOUT_S, method, path)
        except (OSError, HTTPException) as error:
            raise EngineError(f"the engine does not answer: {error}") from error
        if status not in well:
            raise EngineError(f"the engine answered {status} to {method} {path}: {_message(body)}")
        return body


def _answer_to(address: Address, timeout_s: float, method: str, path: str, **headers: str) -> tuple[int, bytes]:
    connection = Http(address, timeout_s)
    try:
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def _message(body: bytes) -> str:
    try:
        value: Any = json.loads(body)
        return str(value["message"])
    except (ValueError, KeyError, TypeError):
        return body[:200].decode(errors="replace")


class Watchdog:
    """Watches the reverse tunnel of one service."""

    def __init__(self, to: Address, engine: Engine, *, service: str, after_s: float) -> None:
        """`after_s`: seconds without an answer after which the workers are ended."""
        self._to = to
        self._engine = engine
        self._service = service
        self._after_s = after_s
        self._stopped = threading.Event()

    def run(self) -> int:
        """Watch until SIGTERM, or until the service is away and nothing of it is left. Returns the exit status."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._stopped.set())
        self.watch()
        return 0

    def guard(self) -> None:
        """Watch until it is stopped, also when nothing is left: more may come."""
        while not self._stopped.is_set():
            self.watch()

    def stop(self) -> None:
        self._stopped.set()

    def watch(self) -> None:
        """Watch until it is stopped, or the service is away and nothing of it is left."""
        answered_at = time.monotonic()
        while not self._stopped.wait(_EVERY_S):
            if self.answers():
                answered_at = time.monotonic()
            elif time.monotonic() - answered_at >= self._after_s and self._end_workers():
                return

    def answers(self) -> bool:
        """Whether this service, and no other one, is at the other end."""
        try:
            return _answer_to(self._to, _ANSWER_S, "GET", f"/reverse-tunnel/{self._service}", Connection="close")[0] == _HERE
        except (OSError, HTTPException):
            return False

    def _end_workers(self) -> bool:
        """Return whether nothing of the service is left to guard; otherwise it is tried again."""
        try:
            workers = self._engine.running([f"{_SERVICE}={self._service}", _WORKER])
            # Said before it is done: the end of a container is reported at once, and its reason is looked for here.
            reason = f"its tunnel to the service was down for {self._after_s:g} s"
            for worker in workers:  # by one thread, or lines would run into each other
                print(json.dumps({"container": worker, "reason": reason}), flush=True)
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                list(pool.map(lambda worker: self._engine.stop(worker, _GRACE_S), workers))
            if workers:
                return False  # one may have been starting: checked again
            for relay in self._engine.running([f"{_SERVICE}={self._service}", _RELAY]):
                self._engine.stop(relay, _GRACE_S)
        except EngineError as error:
            print(error, file=sys.stderr, flush=True)
            return False
        return True
