"""Sends bodies to the service until they have arrived. Losing a result is the worst thing a worker can do."""

from __future__ import annotations

import time
from collections import deque

from svc_worker import _logs
from svc_worker._http import Connection
from svc_worker._protocol import Settings
from svc_worker._service_watch import Backoff

# Seconds for which a result or a chunk is offered again. source: ours; a restart of the service takes less.
KEEP_TRYING_S = 120.0

# Seconds of silence after which a post counts as failed. source: ours; the service stores 20 MiB in far less.
POST_TIMEOUT_S = 60.0


class Poster:
    """Shared by all threads that post. Idle connections are kept in a stack: the warmest is used next."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._idle: deque[Connection] = deque()

    def post(self, target: str, body: bytes, keep_trying_s: float = KEEP_TRYING_S) -> bool:
        """Post `body`; True when it arrived. Repeats on 5xx, 429 and broken connections, not on other 4xx."""
        backoff = Backoff()
        give_up_at = time.monotonic() + keep_trying_s
        while True:
            problem, final = self._try(target, body)
            if not problem:
                return True
            pause_s = backoff.next_s()
            if final or time.monotonic() + pause_s >= give_up_at:
                _logs.report(f"post to {target.partition('?')[0]} given up: {problem}", "ERROR")
                return False
            time.sleep(pause_s)

    def _try(self, target: str, body: bytes) -> tuple[str, bool]:
        """Returns what went wrong ('' when nothing did) and whether trying again is pointless."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = Connection(self.settings, POST_TIMEOUT_S)
        try:
            status = connection.post(target, body).status
        except OSError as error:
            connection.close()
            return str(error) or type(error).__name__, False
        self._idle.append(connection)
        if 200 <= status < 300:
            return "", False
        return f"the service answered {status}", status < 500 and status != 429
