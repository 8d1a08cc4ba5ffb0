"""Results of generator functions: for `async for`, and for `for` in code that is not async."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

_END = object()


class RemoteStream:
    """The chunks of a generator that runs elsewhere. Nothing is sent before the first of them is asked for."""

    def __init__(self, start: Callable[[], Iterator[Any]]) -> None:
        self._start = start

    def __iter__(self) -> Iterator[Any]:
        return self._start()

    async def __aiter__(self) -> AsyncIterator[Any]:
        from svc._threads import in_thread

        chunks = self._start()
        # A cancelled reader leaves a thread inside the generator, which then must not be closed from here.
        free = threading.Lock()
        left = threading.Event()

        def advance() -> Any:
            with free:
                chunk = next(chunks, _END)
                if left.is_set():
                    chunks.close()  # type: ignore[attr-defined]  # it is a generator
                return chunk

        def close() -> None:
            left.set()
            with free:
                chunks.close()  # type: ignore[attr-defined]

        try:
            while (chunk := await in_thread(advance)) is not _END:
                yield chunk
        finally:
            threading.Thread(target=close, name="svc stream end", daemon=True).start()


class OwnStream:
    """A generator of this worker's own function: the body's own iterator, and `async for` as everywhere else."""

    def __init__(self, generator: Any) -> None:
        self._generator = generator

    def __iter__(self) -> Iterator[Any]:
        return iter(self._generator)

    async def __aiter__(self) -> AsyncIterator[Any]:
        if hasattr(self._generator, "__aiter__"):
            async for chunk in self._generator:
                yield chunk
        else:
            for chunk in self._generator:
                yield chunk
