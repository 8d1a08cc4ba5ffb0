"""The requests that a worker repeats: for jobs, for jobs to stop, and the pings that renew its leases."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from typing import Any

from svc_worker import _logs
from svc_worker._http import Answer, Connection
from svc_worker._jobs import RunningJobs
from svc_worker._poster import Backoff, ServiceWatch
from svc_worker._protocol import Settings

# Seconds a held request may be silent. source: the public SDK's time for a poll; the service holds for 20 s.
POLL_TIMEOUT_S = 90.0

# Seconds to wait after 429 when the answer does not say. source: docs/spec/worker-protocol.md, 2.
TOO_MANY_PAUSE_S = 5.0

# Shortest time between two empty answers, in seconds: a service that does not hold the request must not make us spin.
SHORTEST_HOLD_S = 1.0


class JobSource:
    """Asks for jobs; used by one thread, closed by any."""

    def __init__(self, settings: Settings, watch: ServiceWatch) -> None:
        self._settings = settings
        self._watch = watch
        self._connection = Connection(settings, POLL_TIMEOUT_S)
        self._backoff = Backoff()
        self._closed = threading.Event()

    @property
    def closed(self) -> bool:
        """Whether no job will be asked for again."""
        return self._closed.is_set()

    def close(self) -> None:
        """Ask no more. A held request ends at once; jobs that have already arrived are still returned by it."""
        self._closed.set()
        self._connection.abort()

    def take(self, *, free: int, busy: bool) -> list[dict[str, Any]]:
        """One held request: the jobs it brought, at most `free`; empty: ask again. Pauses where the service asks."""
        try:
            answer = self._connection.get(self._settings.take(free=free, busy=busy))
        except OSError as error:
            if not self.closed:
                self._pause_after_failure(str(error) or type(error).__name__)
            return []
        if answer.status == 429:
            self._watch.answered("job-take")
            self._closed.wait(pause_after_429_s(answer))
            return []
        if answer.status not in (200, 204):
            self._pause_after_failure(f"answer {answer.status}")
            return []
        self._watch.answered("job-take")
        self._backoff.reset()
        return _jobs_in(answer)

    def _pause_after_failure(self, reason: str) -> None:
        self._watch.failed("job-take", reason)
        self._closed.wait(self._backoff.next_s())


def pause_after_429_s(answer: Answer) -> float:
    """Seconds to wait: `Retry-After` when it is a number, otherwise TOO_MANY_PAUSE_S."""
    asked = answer.headers.get("retry-after", "")
    return float(asked) if asked.isascii() and asked.isdigit() else TOO_MANY_PAUSE_S


def jobs_after(answer: Answer | None) -> list[dict[str, Any]]:
    """The next jobs in the answer to a result."""
    if answer is None or b'"jobs"' not in answer.body:
        return []
    return _good_jobs(json.loads(answer.body)["jobs"])


def _jobs_in(answer: Answer) -> list[dict[str, Any]]:
    if not answer.body:
        return []
    try:
        found = json.loads(answer.body)
    except ValueError:
        _logs.report("the service sent a job that is not JSON; ignored", "ERROR")
        return []
    return _good_jobs(found if isinstance(found, list) else [found])


def _good_jobs(jobs: list[Any]) -> list[dict[str, Any]]:
    good = [job for job in jobs if isinstance(job, dict) and isinstance(job.get("id"), str) and "input" in job]
    if len(good) < len(jobs):
        _logs.report("the service sent a job without id or input; ignored", "ERROR")
    return good


def listen_for_stops(settings: Settings, jobs: RunningJobs, watch: ServiceWatch) -> None:
    """Cancel the jobs that are named, until the process ends; runs in a daemon thread, also while draining."""
    connection = Connection(settings, POLL_TIMEOUT_S)
    backoff = Backoff()
    while True:
        asked_at = time.monotonic()
        try:
            answer = connection.get(settings.stop())
        except OSError as error:
            watch.failed("job-stop", str(error) or type(error).__name__)
            time.sleep(backoff.next_s())
            continue
        watch.answered("job-stop")  # an error status too: the service is there
        if answer.status >= 300:
            time.sleep(backoff.next_s())
            continue
        backoff.reset()
        job_ids = _named_jobs(answer)
        for job_id in job_ids:
            jobs.cancel(job_id)
        if not job_ids:
            time.sleep(max(0.0, SHORTEST_HOLD_S - (time.monotonic() - asked_at)))


def _named_jobs(answer: Answer) -> list[str]:
    try:
        named = json.loads(answer.body).get("jobsToStop")
    except (ValueError, AttributeError):  # 204, or not the object we expect
        return []
    return [job_id for job_id in named if isinstance(job_id, str)] if isinstance(named, list) else []


def keep_pinging(settings: Settings, jobs: RunningJobs) -> None:
    """Ping at every interval, so that the service keeps this worker's leases, until the process ends.

    Runs in a daemon thread, so that handlers that compute do not delay it.
    """
    connection = Connection(settings, timeout_s=settings.ping_interval_s * 2)
    while True:
        time.sleep(settings.ping_interval_s)
        # A lost ping is made good by the next one; that the service is away is logged by the other channels.
        with contextlib.suppress(OSError):
            connection.get(settings.ping(jobs.ids()))
