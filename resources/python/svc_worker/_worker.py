"""The worker: takes jobs while there is room, runs them, and stops in order.

States: taking -> closed (drain, or the worker is to be replaced) -> idle -> ended. Only `drain` leads out of the
process: a worker that is to be replaced takes nothing more and waits for the service to end it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from svc_worker import _logs
from svc_worker._channels import JobSource, keep_pinging, listen_for_stops
from svc_worker._errors import trimmed_traceback
from svc_worker._jobs import RunningJob, RunningJobs
from svc_worker._load_handler import Program
from svc_worker._poster import Poster, ServiceWatch
from svc_worker._protocol import Settings
from svc_worker._run_job import JobRunner


class Worker:
    """One worker process's life after the user's file is imported."""

    def __init__(self, settings: Settings, program: Program) -> None:
        self._settings = settings
        self._program = program
        self._limit = program.concurrency or settings.concurrency
        self._watch = ServiceWatch(settings.away_limit_s)
        self._source = JobSource(settings, self._watch)
        self._poster = Poster(settings)
        self._runner = JobRunner(program, self._poster)
        self._jobs = RunningJobs()
        self._draining = threading.Event()

    def run(self) -> None:
        """Work in the calling thread; returns when drained."""
        _start_thread(keep_pinging, self._settings, self._jobs)
        _start_thread(listen_for_stops, self._settings, self._jobs, self._watch)
        while not self._source.closed:
            self._update_limit()
            running = self._jobs.wait_for_room(self._limit, lambda: self._source.closed)
            if not self._source.closed:
                for payload in self._source.take(free=self._limit - running, busy=running > 0):
                    self._start(payload)
        self._jobs.wait_until_idle()
        self._draining.wait()

    def drain(self) -> None:
        """Take no further job; `run` returns when the running ones have been posted. Safe to call twice."""
        _logs.report("finishing current jobs, then stopping", "INFO")
        self._draining.set()
        self._stop_taking()

    def _stop_taking(self) -> None:
        self._source.close()
        self._jobs.wake()

    def _start(self, payload: dict[str, Any]) -> None:
        job = RunningJob(payload, self._poster)
        if not self._jobs.add(job):
            return
        if self._limit == 1:
            # Here, in the main thread: no thread switch, and a handler may do what only a main thread may (signals).
            self._run(job)
        else:
            _start_thread(self._run, job)

    def _run(self, job: RunningJob | None) -> None:
        """Run `job`, then each job that comes with the answer to a result."""
        while job is not None:
            following = None
            try:
                last, payloads = self._runner.run(job, take=self._next)
                following = RunningJob(payloads[0], self._poster) if payloads else None
                if last:
                    _logs.report("this worker will be replaced: finishing current jobs, then stopping", "INFO")
                    self._stop_taking()
            finally:
                job = self._jobs.replace(job, following)

    def _next(self) -> int:
        """Jobs to take with a result, whose slot is then free; none if a concurrency modifier has to decide first."""
        return 0 if self._source.closed or self._program.concurrency_modifier is not None else 1

    def _update_limit(self) -> None:
        if self._program.concurrency_modifier is None:
            return
        try:
            asked = self._program.concurrency_modifier(self._limit)
        except Exception as error:
            _logs.report(f"concurrency_modifier failed; concurrency stays\n{trimmed_traceback(error)}", "ERROR")
            return
        if type(asked) is int and asked >= 1:
            self._limit = asked


def _start_thread(work: Callable[..., None], *arguments: Any) -> None:
    threading.Thread(target=work, args=arguments, daemon=True).start()
