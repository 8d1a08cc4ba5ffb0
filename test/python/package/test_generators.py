"""Generator functions, from elsewhere over the stream and on their own worker."""

import asyncio
import os
import time
from collections.abc import Callable
from typing import Any

from app_support import PackageTest

from svc import RemoteError

APP = """
    from svc import Endpoint

    @Endpoint(name="count")
    def count(to):
        yield from range(to)

    @Endpoint(name="tick")
    async def tick(to):
        for n in range(to):
            yield n

    @Endpoint(name="tree")
    def tree(n):
        if n:
            yield n
            yield from tree(n - 1)
"""


async def collect(stream: Any) -> list[Any]:
    return [chunk async for chunk in stream]


def wait_for(fact: Callable[[], Any]) -> None:
    until = time.monotonic() + 20
    while not fact():
        if time.monotonic() > until:
            raise AssertionError("waited in vain")
        time.sleep(0.005)


class FromElsewhere(PackageTest):
    def setUp(self) -> None:
        super().setUp()
        self.service = self.start_service()
        self.worker = self.app(APP)

    def streams(self, function: str, *reads: tuple[str, list[Any]]) -> str:
        path = self.service.deploy(function)
        self.service.reply(f"{path}/run", (200, {"id": "j", "status": "IN_QUEUE"}))
        bodies = [{"status": status, "stream": [{"output": chunk} for chunk in chunks]} for status, chunks in reads]
        self.service.reply(f"{path}/stream/j", *((200, body) for body in bodies))
        self.service.reply(f"{path}/cancel/j", (200, {"id": "j", "status": "CANCELLED"}))
        return path

    def test_chunks_come_in_order_until_the_job_has_ended(self) -> None:
        for function in ("count", "tick"):
            path = self.streams(
                function, ("IN_QUEUE", []), ("IN_PROGRESS", [0, 1]), ("COMPLETED", [{"n": 2}]), ("COMPLETED", [])
            )
            self.assertEqual(asyncio.run(collect(getattr(self.worker, function)(3))), [0, 1, {"n": 2}])
            self.assertEqual(self.service.of(f"{path}/run")[0].body, {"input": {"to": 3}})
            reads = self.service.of(f"{path}/stream/j")
            self.assertEqual([read.query for read in reads], [{"format": "object"}] * 4)
            self.assertEqual(self.service.of(f"{path}/cancel/j"), [])

    def test_code_that_is_not_async_uses_a_plain_loop(self) -> None:
        self.streams("count", ("IN_PROGRESS", [0, 1]), ("COMPLETED", []))
        self.assertEqual(list(self.worker.count(2)), [0, 1])

    def test_nothing_is_sent_before_the_first_chunk_is_asked_for(self) -> None:
        self.streams("count", ("COMPLETED", []))
        self.worker.count(2)
        self.assertEqual(self.service.calls, [])

    def test_a_failure_is_raised_after_the_chunks_before_it(self) -> None:
        path = self.streams("count", ("IN_PROGRESS", [0]), ("FAILED", []))
        self.service.reply(f"{path}/status/j", (200, {"id": "j", "status": "FAILED", "error": "out of memory"}))
        seen = []

        async def read() -> None:
            async for chunk in self.worker.count(2):
                seen.append(chunk)

        with self.assertRaisesRegex(RemoteError, 'endpoint "count", job j: FAILED: out of memory'):
            asyncio.run(read())
        self.assertEqual(seen, [0])
        self.assertEqual(self.service.of(f"{path}/cancel/j"), [])

    def test_a_stream_that_is_left_early_is_cancelled(self) -> None:
        path = self.streams("count", ("IN_PROGRESS", [0, 1, 2]), ("IN_PROGRESS", []))

        async def first() -> Any:
            stream = aiter(self.worker.count(2))
            chunk = await anext(stream)
            await stream.aclose()
            return chunk

        self.assertEqual(asyncio.run(first()), 0)
        wait_for(lambda: self.service.of(f"{path}/cancel/j"))

    def test_a_reader_that_is_cancelled_cancels_the_job(self) -> None:
        path = self.streams("count", ("IN_PROGRESS", [0]), ("IN_PROGRESS", []))

        async def give_up() -> None:
            task = asyncio.create_task(collect(self.worker.count(2)))
            while len(self.service.of(f"{path}/stream/j")) < 3:
                await asyncio.sleep(0.001)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            self.service.replies[f"{path}/stream/j"].append((200, {"status": "IN_PROGRESS", "stream": [{"output": 1}]}))

        asyncio.run(give_up())
        wait_for(lambda: self.service.of(f"{path}/cancel/j"))


class OnTheOwnWorker(PackageTest):
    def test_async_for_works_as_elsewhere(self) -> None:
        worker = self.app(APP)
        for name in ("count", "tick"):
            os.environ["SVC_ENDPOINT"] = name
            self.assertEqual(asyncio.run(collect(getattr(worker, name)(3))), [0, 1, 2])

    def test_a_sync_generator_may_call_itself(self) -> None:
        worker = self.app(APP)
        os.environ["SVC_ENDPOINT"] = "tree"
        self.assertEqual(list(worker.tree(3)), [3, 2, 1])
