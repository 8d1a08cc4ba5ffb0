"""`Endpoint(id=...)` and endpoints that are called by their name."""

import asyncio
from typing import Any

from app_support import Call, Reply
from server_support import ServerTest

from svc import Endpoint, NoContextError, ServiceError


class Clients(ServerTest):
    def setUp(self) -> None:
        super().setUp()
        self.service = self.start_service()
        self.service.reply("/v2/e1/run", (200, {"id": "j", "status": "IN_QUEUE"}))
        self.endpoint = Endpoint(id="e1")

    def test_run_gives_a_job_that_can_be_followed(self) -> None:
        self.service.reply("/v2/e1/status/j", (200, {"id": "j", "status": "IN_PROGRESS", "output": "half"}))
        self.service.reply(
            "/v2/e1/status-sync/j",
            (200, {"id": "j", "status": "IN_PROGRESS"}),
            (200, {"id": "j", "status": "COMPLETED", "output": {"n": 1}}),
        )

        async def follow() -> list[Any]:
            job = await self.endpoint.run({"prompt": "hi"}, webhook="http://w.example/")
            seen: list[Any] = [job.id, job.done, job.output, job.error]
            seen += [await job.status(), job.output, job.done]
            same = await job.wait(timeout=60)
            return [*seen, same is job, job.done, job.output, repr(job)]

        self.assertEqual(
            asyncio.run(follow()),
            [
                "j",
                False,
                None,
                None,
                "IN_PROGRESS",
                "half",
                False,
                True,
                True,
                {"n": 1},
                "EndpointJob(id='j', status='COMPLETED')",
            ],
        )
        self.assertEqual(
            self.service.of("/v2/e1/run")[0].body, {"input": {"prompt": "hi"}, "webhook": "http://w.example/"}
        )

    def test_a_wait_that_is_over_raises(self) -> None:
        self.service.reply("/v2/e1/status-sync/j", (200, {"id": "j", "status": "IN_QUEUE"}))

        async def wait() -> None:
            job = await self.endpoint.run({})
            await job.wait(timeout=0.05)

        with self.assertRaisesRegex(TimeoutError, "job j is still IN_QUEUE after 0.05 s; it goes on"):
            asyncio.run(wait())

    def test_runsync_gives_a_job_that_has_ended_or_not(self) -> None:
        self.service.reply(
            "/v2/e1/runsync",
            (200, {"id": "s", "status": "FAILED", "error": "no"}),
            (200, {"id": "s", "status": "IN_QUEUE"}),
        )
        self.service.reply("/v2/e1/status-sync/s", (200, {"id": "s", "status": "IN_QUEUE"}))
        failed = asyncio.run(self.endpoint.runsync({"a": 1}))
        self.assertEqual((failed.done, failed.error), (True, "no"))
        self.assertFalse(asyncio.run(self.endpoint.runsync({}, timeout=0.01)).done)
        self.assertEqual([call.query["wait"] for call in self.service.of("/v2/e1/runsync")], ["60000", "1000"])

    def test_cancel_by_id_and_by_job(self) -> None:
        self.service.reply("/v2/e1/cancel/j", (200, {"id": "j", "status": "CANCELLED"}))

        async def cancel() -> list[bool]:
            job = await self.endpoint.run({})
            return [(await job.cancel()).done, (await self.endpoint.cancel("j")).done]

        self.assertEqual(asyncio.run(cancel()), [True, True])

    def test_requests_to_a_load_balanced_one(self) -> None:
        self.service.reply("/lb/e1/items", (200, {"n": 1}))
        self.service.reply("/lb/e1/raw", (200, b"\x00"))

        async def ask() -> list[Any]:
            return [
                await self.endpoint.get("/items?x=1", headers={"X-A": "1"}),
                await self.endpoint.post("/items", {"a": 1}, timeout=60),
                await self.endpoint.put("/raw", b"\x01"),
                await self.endpoint.delete("/items"),
                await self.endpoint.patch("/items", [1]),
            ]

        self.assertEqual(asyncio.run(ask()), [{"n": 1}, {"n": 1}, b"\x00", {"n": 1}, {"n": 1}])
        calls = [call for call in self.service.calls if call.path.startswith("/lb")]
        self.assertEqual([call.method for call in calls], ["GET", "POST", "PUT", "DELETE", "PATCH"])
        self.assertEqual((calls[0].query, calls[0].headers["x-a"], calls[1].body), ({"x": "1"}, "1", {"a": 1}))

    def test_a_post_is_not_repeated_and_its_error_is_told(self) -> None:
        self.service.reply("/lb/e1/items", (503, {"error": "no worker: all are starting"}))
        with self.assertRaisesRegex(ServiceError, "503: no worker: all are starting"):
            asyncio.run(self.endpoint.post("/items", {}))
        self.assertEqual(len(self.service.of("/lb/e1/items")), 1)

    def test_an_endpoint_on_an_image_is_found_by_its_name(self) -> None:
        path = self.service.completes("vllm", {"text": "x"})
        job = asyncio.run(Endpoint(name="vllm", image="vllm/vllm-openai").runsync({"prompt": "hi"}))
        self.assertEqual(job.output, {"text": "x"})
        self.assertEqual(self.service.of(f"{path}/runsync")[0].body, {"input": {"prompt": "hi"}})

    def test_an_endpoint_of_the_app_can_be_asked_as_a_client_too(self) -> None:
        worker = self.app("""
            from svc import Endpoint
            endpoint = Endpoint(name="resize it")
            @endpoint
            def resize(width): ...
        """)
        path = self.service.completes("resize", 5)
        self.assertEqual(asyncio.run(worker.endpoint.runsync({"width": 1})).output, 5)
        self.assertEqual(self.service.of(f"{path}/runsync")[0].body, {"input": {"width": 1}})

    def test_input_that_json_cannot_hold(self) -> None:
        with self.assertRaisesRegex(TypeError, "the input cannot be sent as JSON"):
            asyncio.run(self.endpoint.run(object()))
        with self.assertRaisesRegex(ValueError, "it has neither a name nor an id"):
            asyncio.run(Endpoint().run({}))

    def test_a_name_needs_a_context_and_an_id_does_not(self) -> None:
        import os

        del os.environ["SVC_APP"]
        with self.assertRaises(NoContextError):
            asyncio.run(Endpoint(name="vllm", image="x").run({}))
        self.assertEqual(asyncio.run(self.endpoint.run({})).id, "j")

    def test_what_a_caller_sends_is_what_the_server_reads(self) -> None:
        text = """
            import svc
            api = svc.Endpoint(name="api")
            @api.get("/items/{item}")
            async def show(item: str, ids: list[int] = [], deep: bool = False): return [item, ids, deep]
            @api.post("/upload/{name}")
            async def upload(name: str, file: bytes, sizes: list[int], more: dict, note: str = ""):
                return svc.Response(body=file + note.encode() + str([sizes, more]).encode())
            @api.get("/events")
            async def events(n: int):
                for i in range(n):
                    yield {"i": i}
            @api.patch("/items/{item}")
            def change(item: int, price: float): return [item, price]
        """
        self.start(text)
        import os

        # Serving made this process the owner of the endpoint; the caller is somewhere else.
        del os.environ["FLASH_RESOURCE_NAME"]
        api = self.import_app("api_app")
        self.service.deploy("show", load_balanced=True)
        self.service.endpoints["show"]["url"] = f"http://127.0.0.1:{self.port}"
        self.assertEqual(asyncio.run(api.show("ä/b c", ids=[1, 2], deep=True)), ["ä/b c", [1, 2], True])
        self.assertEqual(
            asyncio.run(api.upload("n", b"\x00\r\n", [1, 2], {"a": 1}, note="ü")),
            b"\x00\r\n" + "ü[[1, 2], {'a': 1}]".encode(),
        )
        self.assertEqual(api.change(5, 2), [5, 2.0])

        async def collect() -> list[Any]:
            return [item async for item in api.events(2)]

        self.assertEqual(asyncio.run(collect()), [{"i": 0}, {"i": 1}])


class Held(ServerTest):
    def test_a_held_answer_does_not_hold_the_loop(self) -> None:
        service = self.start_service()
        ticks: list[int] = []

        def answer(_: Call) -> Reply:
            while len(ticks) < 3:
                pass
            return 200, {"id": "s", "status": "COMPLETED"}

        service.reply("/v2/e1/runsync", answer)

        async def tick_while_waiting() -> bool:
            call = asyncio.create_task(Endpoint(id="e1").runsync({}))
            while not call.done():
                ticks.append(1)
                await asyncio.sleep(0.005)
            return (await call).done

        self.assertTrue(asyncio.run(tick_while_waiting()))
