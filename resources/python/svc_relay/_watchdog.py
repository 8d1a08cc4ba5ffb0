"""Ends the workers of a service that they cannot reach any more, so that no card burns for nobody.

It asks once a second, through the same way back as the workers, whether the service answers. After a time without an
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

from svc_relay._addresses import Address, Http
from svc_relay._engine import Container, Engine, EngineError

# Labels of the service's containers. Source: src-main/runtimes/docker/labels.ts.
_SERVICE = "svc.service"
_WORKER = "svc.worker"
_RELAY = "svc.part=relay"

_EVERY_S = 1.0
# An answer that takes longer is none: a worker's call would hang as well.
_ANSWER_S = 5.0
# As the service gives its own workers. Source: stopGraceMs of src-main/contract/limits.ts.
_GRACE_S = 5
_AT_ONCE = 16
# No Content: what the service answers to its own id.
_HERE = 204


class Watchdog:
    """Watches the way back of one service."""

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
        """End it soon."""
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
        connection = Http(self._to, _ANSWER_S)
        try:
            connection.request("GET", f"/way-back/{self._service}", headers={"Connection": "close"})
            answer = connection.getresponse()
            answer.read()
            return answer.status == _HERE
        except (OSError, HTTPException):
            return False
        finally:
            connection.close()

    def _end_workers(self) -> bool:
        """Return whether nothing of the service is left to guard; otherwise it is tried again."""
        try:
            workers = self._engine.running([f"{_SERVICE}={self._service}", _WORKER])
            for worker in workers:  # by one thread, or lines would run into each other
                self._say_why(worker)
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                list(pool.map(lambda worker: self._engine.stop(worker.id, _GRACE_S), workers))
            if workers:
                return False  # one may have been starting: looked at again
            for relay in self._engine.running([f"{_SERVICE}={self._service}", _RELAY]):
                self._engine.stop(relay.id, _GRACE_S)
        except EngineError as error:
            print(error, file=sys.stderr, flush=True)
            return False
        return True

    def _say_why(self, worker: Container) -> None:
        # Said before it is done: the end of a container is reported at once, and its reason is looked for here.
        reason = f"its way back to the service was gone for {self._after_s:g} s"
        print(json.dumps({"container": worker.id, "reason": reason}), flush=True)
