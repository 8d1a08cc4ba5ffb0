"""Calls of decorated functions from elsewhere, and on their own worker."""

import asyncio
import json
import os
import threading
import time
from unittest import mock

from app_support import HANG_UP, Call, PackageTest, Reply

from svc import RemoteError, ServiceError

APP = """
    from svc import Endpoint

    @Endpoint(name="resize", cpu="cpu3c-1-2")
    def resize(image, width=100, *, height=None, **more):
        return ["here", image, width]

    @Endpoint(name="hello", execution_timeout_ms=1000)
    async def hello():
        return "hello from here"
"""


class CallsElsewhere(PackageTest):
    def setUp(self) -> None:
        super().setUp()
        self.service = self.start_service()
        self.worker = self.app(APP)

    def test_a_sync_function_is_awaited_and_gives_the_output(self) -> None:
        self.service.completes("resize", {"size": 3})
        self.assertEqual(asyncio.run(self.worker.resize("a.png", 20, height=5)), {"size": 3})
        call = self.service.of("/v2/id-of-resize/runsync")[0]
        self.assertEqual(call.body, {"input": {"image": "a.png", "width": 20, "height": 5}})
        self.assertEqual(call.query, {"wait": "90000"})
        self.assertEqual(call.headers["authorization"], "Bearer secret")
        self.assertRegex(call.headers["idempotency-key"], r"^[0-9a-f]{32}$")
        self.assertNotRegex(call.headers["user-agent"], "runpod")

    def test_the_address_is_asked_from_the_state_manager(self) -> None:
        self.service.completes("resize", None)
        asyncio.run(self.worker.resize("a.png"))
        asked = self.service.of("/graphql")[0]
        variables = {"app": "shop", "environment": "production", "function": "resize"}
        self.assertEqual(asked.body["variables"], variables)
        self.assertIn("endpointFor(app: $app, environment: $environment, function: $function)", asked.body["query"])
        self.assertEqual(asked.headers["authorization"], "Bearer secret")

    def test_an_address_that_is_a_path_is_below_the_service(self) -> None:
        self.service.completes("resize", "ok")
        self.service.endpoints["resize"]["url"] = "/v2/id-of-resize/"
        self.assertEqual(asyncio.run(self.worker.resize("a.png")), "ok")

    def test_defaults_are_left_out_and_free_names_are_fields(self) -> None:
        self.service.completes("resize", None)
        asyncio.run(self.worker.resize(image="a.png", colour="red"))
        self.assertEqual(self.service.inputs("resize"), [{"image": "a.png", "colour": "red"}])

    def test_a_call_without_arguments_sends_an_empty_input(self) -> None:
        self.service.completes("hello", "hi")
        self.assertEqual(asyncio.run(self.worker.hello()), "hi")
        self.assertEqual(self.service.inputs("hello"), [{}])

    def test_wrong_arguments_fail_before_anything_is_sent(self) -> None:
        with self.assertRaisesRegex(TypeError, r"resize\(image, width=100.*missing a required argument: 'image'"):
            asyncio.run(self.worker.resize(width=1))
        with self.assertRaisesRegex(TypeError, "too many positional arguments"):
            asyncio.run(self.worker.resize(1, 2, 3))
        with self.assertRaisesRegex(TypeError, "resize: the argument image cannot be sent as JSON"):
            asyncio.run(self.worker.resize(object()))
        self.assertEqual(self.service.calls, [])

    def test_a_job_that_takes_longer_than_the_wait_is_followed_to_its_end(self) -> None:
        path = self.service.deploy("resize")
        self.service.reply(f"{path}/runsync", (200, {"id": "sync-7", "status": "IN_QUEUE"}))
        self.service.reply(
            f"{path}/status-sync/sync-7",
            (200, {"id": "sync-7", "status": "IN_PROGRESS"}),
            (200, {"id": "sync-7", "status": "COMPLETED", "output": 5}),
        )
        self.assertEqual(asyncio.run(self.worker.resize("a")), 5)
        self.assertEqual(len(self.service.of(f"{path}/status-sync/sync-7")), 2)

    def test_the_endpoints_timeout_ends_the_waiting(self) -> None:
        path = self.service.deploy("hello")
        going = {"id": "sync-7", "status": "IN_PROGRESS"}

        def hold(_: Call) -> Reply:
            time.sleep(0.3)
            return 200, going

        self.service.reply(f"{path}/runsync", (200, going))
        self.service.reply(f"{path}/status-sync/sync-7", hold)
        with self.assertRaisesRegex(
            TimeoutError, 'endpoint "hello": job sync-7 is still IN_PROGRESS after 1 s; it goes on'
        ):
            asyncio.run(self.worker.hello())

    def test_a_failed_job_raises_with_the_traceback_of_the_worker(self) -> None:
        path = self.service.deploy("resize")
        error = {
            "error_type": "<class 'ValueError'>",
            "error_message": "too wide",
            "error_traceback": 'Traceback:\n  File "worker.py", line 3, in resize\nValueError: too wide\n',
        }
        self.service.reply(f"{path}/runsync", (200, {"id": "j", "status": "FAILED", "error": json.dumps(error)}))
        with self.assertRaises(RemoteError) as raised:
            asyncio.run(self.worker.resize("a"))
        self.assertEqual(
            str(raised.exception),
            'endpoint "resize", job j: FAILED: too wide\n\nTraceback on the worker:\n' + error["error_traceback"],
        )
        self.assertEqual(raised.exception.error_type, "<class 'ValueError'>")
        self.assertIsInstance(raised.exception, RuntimeError)

    def test_a_job_that_failed_with_a_text_or_ended_otherwise_raises_too(self) -> None:
        path = self.service.deploy("resize")
        self.service.reply(
            f"{path}/runsync",
            (200, {"id": "j", "status": "FAILED", "error": "no GPU"}),
            (200, {"id": "k", "status": "TIMED_OUT"}),
        )
        with self.assertRaisesRegex(RemoteError, 'endpoint "resize", job j: FAILED: no GPU$'):
            asyncio.run(self.worker.resize("a"))
        with self.assertRaisesRegex(RemoteError, "job k: TIMED_OUT: the job ended as TIMED_OUT"):
            asyncio.run(self.worker.resize("a"))

    def test_a_lost_answer_is_asked_for_again_with_the_same_key(self) -> None:
        path = self.service.deploy("resize")
        done = {"id": "j", "status": "COMPLETED", "output": 1}
        self.service.reply(f"{path}/runsync", (HANG_UP, None), (503, {"error": "busy"}), (200, done))
        with mock.patch("svc._http.PAUSES_S", (0, 0, 0)):
            self.assertEqual(asyncio.run(self.worker.resize("a")), 1)
        keys = {call.headers["idempotency-key"] for call in self.service.of(f"{path}/runsync")}
        self.assertEqual((len(self.service.of(f"{path}/runsync")), len(keys)), (3, 1))

    def test_an_error_of_the_service_is_raised_in_its_words(self) -> None:
        path = self.service.deploy("resize")
        self.service.reply(f"{path}/runsync", (400, {"error": "input is too large: 20 MiB are allowed"}))
        with self.assertRaises(ServiceError) as raised:
            asyncio.run(self.worker.resize("a"))
        self.assertEqual(raised.exception.status, 400)
        self.assertIn("400: input is too large: 20 MiB are allowed", str(raised.exception))

    def test_nobody_listening_is_a_connection_error_that_names_the_address(self) -> None:
        self.service.close()
        refused = self.assertRaisesRegex(ConnectionError, f"no answer from {self.service.url}/graphql: .*refused")
        with mock.patch("svc._http.PAUSES_S", (0,)), refused:
            asyncio.run(self.worker.resize("a"))

    def test_an_error_at_the_default_address_names_the_variable(self) -> None:
        self.service.close()
        refused = self.assertRaisesRegex(ConnectionError, "; start the service, or set SVC_BASE_URL to its address$")
        with (
            mock.patch("svc._http.PAUSES_S", (0,)),
            mock.patch("svc._http.DEFAULT_BASE_URL", self.service.url),
            refused,
        ):
            asyncio.run(self.worker.resize("a"))

    def test_an_endpoint_that_moved_is_looked_up_again(self) -> None:
        self.service.completes("resize", 1)
        asyncio.run(self.worker.resize("a"))
        self.service.replies.clear()
        self.service.endpoints["resize"]["url"] = f"{self.service.url}/v2/new"
        self.service.reply("/v2/new/runsync", (200, {"id": "j", "status": "COMPLETED", "output": 2}))
        self.assertEqual(asyncio.run(self.worker.resize("a")), 2)

    def test_calls_at_the_same_time_do_not_wait_for_each_other_nor_hold_the_loop(self) -> None:
        path = self.service.deploy("resize")
        together = threading.Barrier(20)

        def wait_for_all(call: Call) -> Reply:
            together.wait(90)  # breaks when the calls come one after the other
            return 200, {"id": "j", "status": "COMPLETED", "output": call.body["input"]["image"]}

        self.service.reply(f"{path}/runsync", wait_for_all)

        async def all_calls() -> list[object]:
            return list(await asyncio.gather(*(self.worker.resize(n) for n in range(20))))

        self.assertEqual(asyncio.run(all_calls()), list(range(20)))
        self.assertEqual(len(self.service.of("/graphql")), 1)

    def test_a_connection_is_used_again(self) -> None:
        self.service.completes("resize", 1)
        for _ in range(5):
            asyncio.run(self.worker.resize("a"))
        self.assertEqual(self.service.connections, 1)

    def test_a_route_is_called_by_its_method_and_path(self) -> None:
        routes = self.app(
            """
            from svc import Endpoint
            api = Endpoint(name="api")

            @api.get("/items/{item}")
            async def show(item: str, deep: bool = False): ...

            @api.put("/items/{item}")
            def change(item: str, price: float): ...

            @api.post("/upload")
            async def upload(file: bytes, name: str): ...
            """,
            "routes",
        )
        path = self.service.deploy("show", name="api", load_balanced=True)
        self.service.reply(f"{path}/items/a%2Fb", (200, {"id": "a/b"}))
        self.service.reply(f"{path}/items/x", (200, None))
        self.service.reply(f"{path}/upload", (200, b"\x00\x01"))
        self.assertEqual(asyncio.run(routes.show("a/b", deep=True)), {"id": "a/b"})
        self.assertIsNone(routes.change("x", 2.5))
        self.assertEqual(asyncio.run(routes.upload(b"\xff", "n")), b"\x00\x01")
        show, change, upload = (call for call in self.service.calls if call.path.startswith("/lb"))
        self.assertEqual((show.method, show.query, show.body), ("GET", {"deep": "true"}, b""))
        self.assertEqual((change.method, change.body), ("PUT", {"price": 2.5}))
        self.assertIn(b'name="file"; filename="file"', upload.body)
        self.assertEqual(len(self.service.of("/graphql")), 1)

    def test_a_404_of_a_route_is_its_answer_and_no_reason_to_look_for_the_endpoint(self) -> None:
        routes = self.app(
            """
            from svc import Endpoint
            api = Endpoint(name="api")
            @api.get("/items/{item}")
            async def show(item: str): ...
            """,
            "routes",
        )
        path = self.service.deploy("show", name="api", load_balanced=True)
        self.service.reply(f"{path}/items/x", (404, {"detail": "no such item"}))
        with self.assertRaisesRegex(ServiceError, "404: no such item"):
            asyncio.run(routes.show("x"))
        self.assertEqual(len(self.service.of("/graphql")), 1)


class CallsOnTheOwnWorker(PackageTest):
    def test_the_body_runs_and_is_awaitable_in_async_code(self) -> None:
        worker = self.app(APP)
        for name, function in (("resize", lambda: worker.resize("a")), ("hello", worker.hello)):
            os.environ["FLASH_RESOURCE_NAME"] = name

            async def call() -> object:
                return await function()  # noqa: B023  (called at once)

            self.assertIn("here", str(asyncio.run(call())))

    def test_svc_endpoint_names_the_owner_too(self) -> None:
        os.environ["SVC_ENDPOINT"] = "hello"
        self.assertEqual(asyncio.run(self.app(APP).hello()), "hello from here")

    def test_a_sync_function_that_calls_itself_gets_the_value(self) -> None:
        os.environ["SVC_ENDPOINT"] = "factorial"
        worker = self.app("""
            from svc import Endpoint
            @Endpoint(name="factorial")
            def factorial(n):
                return 1 if n < 2 else n * factorial(n - 1)
        """)
        self.assertEqual(worker.factorial(5), 120)

    def test_routes_call_each_other_directly(self) -> None:
        os.environ["SVC_ENDPOINT"] = "api"
        worker = self.app("""
            from svc import Endpoint
            api = Endpoint(name="api")
            @api.get("/a")
            def a(): return "a"
            @api.get("/b")
            async def b(): return a() + "b"
        """)
        self.assertEqual(asyncio.run(worker.b()), "ab")

    def test_a_function_of_another_endpoint_is_asked(self) -> None:
        service = self.start_service()
        service.completes("hello", "from there")
        os.environ["SVC_ENDPOINT"] = "resize"
        self.assertEqual(asyncio.run(self.app(APP).hello()), "from there")


class TheManifest(PackageTest):
    def test_names_the_endpoint_of_a_function(self) -> None:
        service = self.start_service()
        service.completes("hello", 1)
        path = self.write("deep/manifest.json", '{"resources": {"greet er": {"functions": [{"name": "hello"}]}}}')
        os.environ["SVC_MANIFEST"] = str(path)
        worker = self.app(APP)
        asyncio.run(worker.hello())
        from svc import _calls

        self.assertEqual([key[2] for key in _calls.addresses._known], ["greet er"])

    def test_beside_the_code_is_found_and_a_broken_one_is_passed_over(self) -> None:
        from svc._context import endpoint_of

        (self.folder / "elsewhere").mkdir()
        os.chdir(self.folder / "elsewhere")
        code = self.write("app/pkg/worker.py", "")
        self.write("app/svc_manifest.json", '{"resources": {"greet": {"functions": [{"name": "hello"}]}}}')
        self.assertEqual(endpoint_of("hello", str(code)), "greet")
        self.assertIsNone(endpoint_of("other", str(code)))
        self.write("elsewhere/svc_manifest.json", "{")
        self.assertIsNone(endpoint_of("hello", str(code)))
