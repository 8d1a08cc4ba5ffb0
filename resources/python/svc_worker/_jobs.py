"""The jobs this worker runs at the moment, and what each posts before its result: progress and chunks, in order.

A thread of their own posts them; it exists only for jobs that use it and ends with the job. The handler waits only when
a stream is far ahead of the network; progress never waits: when many updates are queued, the newest replaces the one
before it.
"""

from __future__ import annotations

import contextvars
import threading
from collections import deque
from collections.abc import Callable
from typing import Any, NamedTuple

from svc_worker import _logs
from svc_worker._poster import Poster
from svc_worker._results import progress_body

# Beyond these, streams pause and progress updates are merged. source: ours.
WAITING_POSTS = 256
WAITING_BYTES = 8 * 1024 * 1024


class _Post(NamedTuple):
    is_chunk: bool
    body: bytes


class Outbox:
    """One job's queue. States: unused -> open (first post) -> closed (finish or discard); closed is final."""

    def __init__(self, job_id: str, poster: Poster) -> None:
        self._job_id = job_id
        self._poster = poster
        self._waiting: deque[_Post] = deque()
        self._waiting_bytes = 0
        self._closed = False
        self._thread: threading.Thread | None = None
        self._changed = threading.Condition()

    def put_progress(self, body: bytes) -> None:
        """Queue a progress update; never waits."""
        with self._changed:
            if not self.has_room() and self._waiting and not self._waiting[-1].is_chunk:
                self._waiting_bytes -= len(self._waiting.pop().body)
            self._put(_Post(False, body))

    def put_chunk(self, body: bytes) -> None:
        """Queue a chunk; never waits and never drops, so ask for room first."""
        with self._changed:
            self._put(_Post(True, body))

    def has_room(self) -> bool:
        """Whether a stream should go on."""
        with self._changed:
            return len(self._waiting) < WAITING_POSTS and self._waiting_bytes < WAITING_BYTES

    def wait_for_room(self) -> None:
        with self._changed:
            self._changed.wait_for(self.has_room)

    def finish(self) -> None:
        """Returns when everything queued has been posted or given up."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        if self._thread is not None:
            self._thread.join()

    def discard(self) -> None:
        """Drop what is queued; a post on its way is waited for."""
        with self._changed:
            self._waiting.clear()
        self.finish()

    def _put(self, post: _Post) -> None:
        if self._closed:  # a thread of the handler that outlived it
            return
        self._waiting.append(post)
        self._waiting_bytes += len(post.body)
        if self._thread is None:
            context = contextvars.copy_context()  # what it logs belongs to the job
            self._thread = threading.Thread(target=context.run, args=[self._send_all], name="outbox", daemon=True)
            self._thread.start()
        self._changed.notify_all()

    def _send_all(self) -> None:
        settings = self._poster.settings
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._closed)
                if not self._waiting:
                    return
                post = self._waiting.popleft()
                self._waiting_bytes -= len(post.body)
                self._changed.notify_all()
            if post.is_chunk:
                self._poster.post(settings.stream(self._job_id), post.body)
            else:  # worth one try: the next update or the result replaces it
                self._poster.post(settings.done(self._job_id), post.body, keep_trying_s=0)


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
        """False when a job of this id is running already: the service dispatched it again too early."""
        with self._changed:
            added = self._jobs.setdefault(job.id, job) is job
        if not added:
            _logs.report(f"job {job.id} is running here already; the second delivery is ignored", "WARN")
        return added

    def replace(self, job: RunningJob, following: RunningJob | None) -> RunningJob | None:
        """End `job` and begin `following` in its place, which nobody else sees free; returns it if it runs.

        Call after the result is posted, so that pings name the job until then.
        """
        with self._changed:
            del self._jobs[job.id]
            added = following is not None and self.add(following)
            self._changed.notify_all()
        return following if added else None

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
        with self._changed:
            self._changed.wait_for(lambda: not self._jobs)

    def wake(self) -> None:
        """Make waiters check their `give_up` again."""
        with self._changed:
            self._changed.notify_all()
