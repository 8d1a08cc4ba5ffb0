"""From a job to its posted result.

Only the value that the handler returns matters, not its kind: an awaitable is awaited, a generator or async generator is
streamed, anything else is the output. So a plain function may choose between several handlers and return what the
chosen one returned.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import nullcontext
from typing import Any

from svc_worker import _logs, _results
from svc_worker._capture import JOB_CHARS, Capture, capture_mode
from svc_worker._channels import jobs_after
from svc_worker._context import running_job
from svc_worker._errors import failure_text, trimmed_traceback
from svc_worker._interrupt import EventLoopThread, call_interruptibly
from svc_worker._jobs import RunningJob
from svc_worker._load_handler import Program
from svc_worker._poster import Poster

# Seconds between two checks of a full outbox from the event loop, which must not block. source: ours.
LOOK_AGAIN_S = 0.005

_END = object()


class JobRunner:
    """Runs jobs of one program, each in the thread of the caller."""

    def __init__(self, program: Program, poster: Poster) -> None:
        self._program = program
        self._poster = poster
        self._loop = EventLoopThread()

    def run(self, job: RunningJob, *, take: Callable[[], int]) -> tuple[bool, list[dict[str, Any]]]:
        """Run `job` and post its result; a cancelled one posts nothing.

        Returns whether this worker should take no more jobs, and at most `take()` jobs that came with the answer.
        """
        token = running_job.set(job)
        try:
            is_stream, result = self._outcome(job)
            _logs.flush_job(job.id)
            if result is None:
                job.outbox.discard()
                return False, []
            job.outbox.finish()
            last = self._program.refresh_worker or result.asks_for_new_worker
            target = self._poster.settings.done(job.id, is_stream=is_stream, take=0 if last else take())
            answer = self._poster.post(target, result.body(stop_worker=last))
            return last, jobs_after(answer)
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


class ChunkStream:
    def __init__(self, job: RunningJob, *, aggregate: bool) -> None:
        self._job = job
        self._aggregate = aggregate
        self._chunks: list[str] = []

    def run_sync(self, chunks: Generator[Any, Any, Any]) -> _results.Result | None:
        """Post every chunk. None: the job was cancelled, which is checked between yields and interrupts one."""
        try:
            while (chunk := call_interruptibly(self._job, next, chunks, _END)) is not _END:
                if self._job.cancelled:
                    return None
                if _is_error(chunk):
                    return _results.returned(chunk)
                self._put(chunk)
                self._job.outbox.wait_for_room()
        finally:
            chunks.close()
        return _results.streamed(self._chunks)

    async def run_async(self, chunks: AsyncGenerator[Any, Any]) -> _results.Result:
        """Post every chunk; a cancel arrives as CancelledError inside the user's generator."""
        import asyncio

        try:
            async for chunk in chunks:
                if _is_error(chunk):
                    return _results.returned(chunk)
                self._put(chunk)
                while not self._job.outbox.has_room():
                    await asyncio.sleep(LOOK_AGAIN_S)
        finally:
            await chunks.aclose()
        return _results.streamed(self._chunks)

    def _put(self, chunk: Any) -> None:
        text = _results.encode(chunk, "chunk")
        self._job.outbox.put_chunk(_results.chunk_body(text))
        if self._aggregate:
            self._chunks.append(text)


def _is_error(chunk: Any) -> bool:
    """A yielded `{"error": ...}` ends the stream and fails the job, as a returned one does."""
    return isinstance(chunk, dict) and bool(chunk.get("error"))
