"""Turns what a generator yields into chunk posts."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from typing import Any

from svc_worker import _results
from svc_worker._interrupt import call_interruptibly
from svc_worker._jobs import RunningJob

# Seconds between two looks at a full outbox from the event loop, which must not block. source: ours.
LOOK_AGAIN_S = 0.005

_END = object()


class ChunkStream:
    """The stream of one job."""

    def __init__(self, job: RunningJob, *, aggregate: bool) -> None:
        self._job = job
        self._aggregate = aggregate
        self._chunks: list[str] = []

    def run_sync(self, chunks: Generator[Any, Any, Any]) -> _results.Result | None:
        """Post every chunk. None when the job was cancelled; that is looked at between two yields, and interrupts one."""
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
