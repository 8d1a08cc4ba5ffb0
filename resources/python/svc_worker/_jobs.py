"""The jobs this worker runs at the moment."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from svc_worker import _logs
from svc_worker._outbox import Outbox
from svc_worker._poster import Poster
from svc_worker._results import progress_body


class RunningJob:
    """One job from take to posted result. `cancelled` is set by the stop channel and never unset."""

    def __init__(self, payload: dict[str, Any], poster: Poster) -> None:
        self.id: str = payload["id"]
        self.payload = payload
        self.cancelled = False
        self.outbox = Outbox(self.id, poster)
        self._interrupt: Callable[[], object] | None = None
        self._lock = threading.Lock()

    def report_progress(self, value: Any) -> None:
        """Queue a progress update; keeps its place before chunks and result that come later.

        One that is not JSON is dropped with a line in the log: an update never changes how its job ends.
        """
        try:
            body = progress_body(value)
        except (TypeError, ValueError) as error:
            _logs.report(f"a progress update was dropped: {error}", "WARN")
            return
        self.outbox.put_progress(body)

    def interrupt_with(self, interrupt: Callable[[], object] | None) -> None:
        """Say how a cancel reaches the handler now; called at once if the cancel came first."""
        with self._lock:
            self._interrupt = interrupt
            if self.cancelled and interrupt is not None:
                interrupt()

    def cancel(self) -> None:
        """Ask the handler to stop."""
        with self._lock:
            if not self.cancelled and self._interrupt is not None:
                self._interrupt()
            self.cancelled = True


class RunningJobs:
    """The set of running jobs; its size against the limit decides whether another may be taken."""

    def __init__(self) -> None:
        self._jobs: dict[str, RunningJob] = {}
        self._changed = threading.Condition()

    def ids(self) -> list[str]:
        """Ids in the order in which the jobs were taken."""
        with self._changed:
            return list(self._jobs)

    def add(self, job: RunningJob) -> bool:
        """False when a job of this id is running already: the service handed it out again too early."""
        with self._changed:
            return self._jobs.setdefault(job.id, job) is job

    def remove(self, job: RunningJob) -> None:
        """Call after the result is posted, so that pings name the job until then."""
        with self._changed:
            del self._jobs[job.id]
            self._changed.notify_all()

    def cancel(self, job_id: str) -> None:
        """Does nothing for a job that is not running: its end and the stop crossed."""
        with self._changed:
            job = self._jobs.get(job_id)
        if job is not None:
            job.cancel()

    def wait_for_room(self, limit: int, give_up: Callable[[], bool]) -> int:
        """Number of jobs running once it is under `limit`, or once `give_up` holds."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._jobs) < limit or give_up())
            return len(self._jobs)

    def wait_until_idle(self) -> None:
        """Returns when no job is running."""
        with self._changed:
            self._changed.wait_for(lambda: not self._jobs)

    def wake(self) -> None:
        """Make waiters look at their `give_up` again."""
        with self._changed:
            self._changed.notify_all()
