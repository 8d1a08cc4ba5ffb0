"""Knows whether the service is there. Two log lines per outage, however often the channels knock."""

from __future__ import annotations

import random
import threading
import time

from svc_worker import _exit, _logs

# Seconds between two attempts while the service is away: the first and the longest. source: ours.
FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 5.0


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
    """Hears from each channel; the service is away while any channel's last word was a failure.

    A poll is held by the service, so "back" is logged when its first answer comes, up to 20 s after jobs flow again.
    """

    def __init__(self, away_limit_s: float) -> None:
        self._away_limit_s = away_limit_s
        self._failing: set[str] = set()
        self._away_since = 0.0
        self._lock = threading.Lock()

    def answered(self, channel: str) -> None:
        """A channel got an answer. Costs nothing while all is well: it is on the way of every job."""
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
