"""From a job to its posted result.

What the handler is does not matter, what it returns does: an awaitable is awaited, a generator or async generator is
streamed, anything else is the output. So a plain function may choose between several handlers and return what the
chosen one returned.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Generator
from contextlib import nullcontext

from svc_worker import _logs, _results
from svc_worker._capture import JOB_CHARS, Capture, capture_mode
from svc_worker._context import running_job
from svc_worker._errors import failure_text, trimmed_traceback
from svc_worker._event_loop import EventLoopThread
from svc_worker._interrupt import call_interruptibly
from svc_worker._jobs import RunningJob
from svc_worker._load_handler import Program
from svc_worker._poster import Poster
from svc_worker._streams import ChunkStream


class JobRunner:
    """Runs jobs of one program, each in the thread of the caller."""

    def __init__(self, program: Program, poster: Poster) -> None:
        self._program = program
        self._poster = poster
        self._loop = EventLoopThread()

    def run(self, job: RunningJob) -> bool:
        """Run `job` and post its result; a cancelled one posts nothing.

        Returns True when this worker shall take no further job.
        """
        token = running_job.set(job)
        try:
            is_stream, result = self._outcome(job)
            _logs.flush_job(job.id)
            if result is None:
                job.outbox.discard()
                return False
            job.outbox.finish()
            last = self._program.refresh_worker or result.asks_for_new_worker
            target = self._poster.settings.done(job.id, is_stream=is_stream)
            self._poster.post(target, result.body(stop_worker=last))
            return last
        finally:
            running_job.reset(token)

    def _outcome(self, job: RunningJob) -> tuple[bool, _results.Result | None]:
        """Whether the handler streamed, and its result; None: cancelled, nothing to post."""
        is_stream = False
        if job.cancelled:
            return False, None
        printed = Capture(JOB_CHARS, stderr=True)
        try:
            with printed if capture_mode() == "all" else nullcontext():
                value = call_interruptibly(job, self._program.handler, job.payload)
                if isinstance(value, Awaitable):
                    value = self._loop.run(job, value)
                if isinstance(value, (Generator, AsyncGenerator)):
                    is_stream = True
                    result = self._stream(job, value)
                else:
                    result = _results.returned(value)
        # Also SystemExit and KeyboardInterrupt: whatever a handler raises fails its job, never the worker.
        except BaseException as error:
            if not job.cancelled:
                _logs.report(f"job failed\n{trimmed_traceback(error)}", "ERROR")
            result = _results.failed(failure_text(error, self._poster.settings, printed.take()))
        return is_stream, None if job.cancelled else result

    def _stream(self, job: RunningJob, chunks: Generator[object] | AsyncGenerator[object]) -> _results.Result | None:
        stream = ChunkStream(job, aggregate=self._program.return_aggregate_stream)
        if isinstance(chunks, Generator):
            return stream.run_sync(chunks)
        result: _results.Result = self._loop.run(job, stream.run_async(chunks))
        return result
