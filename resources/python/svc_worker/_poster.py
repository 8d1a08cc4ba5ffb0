"""Sends bodies to the service until they have arrived, and knows whether it is there.

Losing a result is the worst thing a worker can do. An outage has two log lines, however often the channels knock.
"""

from __future__ import annotations

import random
import threading
import time
from collections import deque

from svc_worker import _exit, _logs
from svc_worker._http import Answer, Connection
from svc_worker._protocol import Settings

# Seconds between two attempts while the service is away: the first and the longest. source: ours.
FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 5.0

# Seconds for which a result or a chunk is offered again. source: ours; a restart of the service takes less.
KEEP_TRYING_S = 120.0

# Seconds of silence after which a post counts as failed. source: ours; the service stores 20 MiB in far less.
POST_TIMEOUT_S = 60.0


class Backoff:
    """Growing pauses with jitter, so that many workers do not come back in the same instant."""

    def __init__(self) -> None:
        self._pause_s = FIRST_PAUSE_S

    def next_s(self) -> float:
        """Seconds to wait now: between half and all of a pause that doubles each time."""
        pause_s = self._pause_s
        self._pause_s = min(pause_s * 2, LONGEST_PAUSE_S)
        return pause_s * random.uniform(0.5, 1.0)

    def reset(self) -> None:
        """Call after success."""
        self._pause_s = FIRST_PAUSE_S


class ServiceWatch:
    """Tracks each channel; the service is away while any channel's last call failed. A poll is held by the service, so
    "back" is logged when its first answer comes, up to 20 s after jobs flow again."""

    def __init__(self, away_limit_s: float) -> None:
        self._away_limit_s = away_limit_s
        self._failing: set[str] = set()
        self._away_since = 0.0
        self._lock = threading.Lock()

    def answered(self, channel: str) -> None:
        """A channel got an answer. Costs nothing in the usual case, as every job passes here."""
        if not self._failing:
            return
        with self._lock:
            was_away = bool(self._failing)
            self._failing.discard(channel)
            if was_away and not self._failing:
                _logs.report("service is back", "INFO")

    def failed(self, channel: str, reason: str) -> None:
        """A channel got no answer. Ends the process when the service has been away too long."""
        with self._lock:
            now = time.monotonic()
            if not self._failing:
                self._away_since = now
                _logs.report(f"service is away ({channel}: {reason}); trying again", "WARN")
            self._failing.add(channel)
            away_s = now - self._away_since
        if away_s >= self._away_limit_s:
            _exit.fail(f"svc_worker: the service has been away for {away_s:.0f} s; this worker ends itself")


class Poster:
    """Shared by all threads that post. Idle connections are kept in a stack: the warmest is used next."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._idle: deque[Connection] = deque()

    def post(self, target: str, body: bytes, keep_trying_s: float = KEEP_TRYING_S) -> Answer | None:
        """Post `body`; None when it did not arrive. Repeats on 5xx, 429 and broken connections, not on other 4xx."""
        backoff = Backoff()
        give_up_at = time.monotonic() + keep_trying_s
        while True:
            answer, problem, final = self._try(target, body)
            if not problem:
                return answer
            pause_s = backoff.next_s()
            if final or time.monotonic() + pause_s >= give_up_at:
                _logs.report(f"post to {target.partition('?')[0]} given up: {problem}", "ERROR")
                return None
            time.sleep(pause_s)

    def _try(self, target: str, body: bytes) -> tuple[Answer | None, str, bool]:
        """Returns the answer, what went wrong ('' when nothing did) and whether trying again is pointless."""
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = Connection(self.settings, POST_TIMEOUT_S)
        try:
            answer = connection.post(target, body)
        except OSError as error:
            connection.close()
            return None, str(error) or type(error).__name__, False
        self._idle.append(connection)
        status = answer.status
        if 200 <= status < 300:
            return answer, "", False
        return answer, f"the service answered {status}", status < 500 and status != 429
