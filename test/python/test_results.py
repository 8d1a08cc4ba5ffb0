"""Posted results of handlers that return or raise."""

import unittest
from datetime import datetime, timezone
from typing import Any

from support import FakeService, WorkerTest
from svc_worker import _results


class Shapes(unittest.TestCase):
    def body(self, value: Any) -> bytes:
        return _results.returned(value).body()

    def test_each_return_value_has_the_public_shape(self) -> None:
        expected = {
            "plain": ("text", b'{"output":"text"}'),
            "none": (None, b'{"output":null}'),
            "false": (False, b'{"output":false}'),
            "empty list": ([], b'{"output":[]}'),
            "empty dict": ({}, b"{}"),
            "only an error": ({"error": "no"}, b'{"error":"no"}'),
            "error among others": ({"error": "no", "x": 1}, b'{"error":"no","output":{"x":1}}'),
            "error that is no text": ({"error": {"code": 7}}, b'{"error":"{\\"code\\":7}"}'),
            "falsy error": ({"error": None, "x": 1}, b'{"output":{"x":1}}'),
            "refresh": ({"refresh_worker": True, "x": 1}, b'{"output":{"x":1},"stopPod":true}'),
            "only refresh": ({"refresh_worker": True}, b'{"stopPod":true}'),
            "falsy refresh": ({"refresh_worker": False, "x": 1}, b'{"output":{"x":1}}'),
        }
        self.assertEqual(
            {name: self.body(value) for name, (value, _) in expected.items()},
            {name: body for name, (_, body) in expected.items()},
        )

    def test_the_part_that_is_not_json_is_named_with_its_place(self) -> None:
        loop: list[Any] = []
        loop.append(loop)
        deep: list[Any] = []
        for _ in range(100_000):
            deep = [deep]
        only = "return only dict, list, str, int, float, bool and None"
        expected: list[tuple[Any, type[Exception], str]] = [
            (b"x", TypeError, f"output is a bytes, which JSON cannot hold; {only}"),
            (
                {"items": [1, {"at": datetime.now(timezone.utc)}]},
                TypeError,
                f"output['items'][1]['at'] is a datetime.datetime, which JSON cannot hold; {only}",
            ),
            ({"a": {(1, 2): 3}}, TypeError, "output['a'] has the key (1, 2) of type tuple; JSON keys are strings"),
            (
                {"loss": float("nan")},
                ValueError,
                "output['loss'] is nan, which JSON cannot hold; return None or a string instead",
            ),
            (
                [0.5, float("inf")],
                ValueError,
                "output[1] is inf, which JSON cannot hold; return None or a string instead",
            ),
            (loop, ValueError, "output[0] contains itself, which JSON cannot hold"),
            (deep, ValueError, "output is nested too deeply for JSON"),
        ]
        for value, kind, message in expected:
            with self.subTest(message), self.assertRaises(kind) as raised:
                self.body(value)
            self.assertEqual(str(raised.exception), message)


class Failures(WorkerTest):
    def assert_still_works(self, service: FakeService) -> None:
        self.assertEqual(service.result(service.submit({"do": "work"})), {"output": "fine"})

    def test_an_exception_is_a_failed_job_with_a_traceback_that_starts_in_the_users_file(self) -> None:
        source = """
            import asyncio
            def check(value):
                raise ValueError(f"bad value: {value}")
            async def later(value):
                await asyncio.wait_for(asyncio.create_task(now(value)), 60)
            async def now(value):
                check(value)
            def chunks(value):
                yield 1
                check(value)
            async def async_chunks(value):
                yield 1
                check(value)
            def handler(job):
                do = job["input"]["do"]
                if do == "work":
                    return "fine"
                return {"sync": check, "async": later, "gen": chunks, "agen": async_chunks}[do](7)
        """
        service, worker = self.start(source, RUNPOD_POD_HOSTNAME="box")
        first_function = {"sync": "handler", "async": "later", "gen": "chunks", "agen": "async_chunks"}
        for do, function in first_function.items():
            with self.subTest(do):
                job_id = service.submit({"do": do})
                error = service.error(job_id)
                traceback = error.pop("error_traceback").splitlines()
                self.assertRegex(error.pop("runpod_version"), r"^svc-\d")
                self.assertEqual(
                    error,
                    {
                        "error_type": "<class 'ValueError'>",
                        "error_message": "bad value: 7",
                        "hostname": "box",
                        "worker_id": "abcdefghij0123",
                    },
                )
                files = [line for line in traceback if line.startswith("  File ")]
                self.assertTrue(files[0].endswith(f"in {function}"), traceback)
                self.assertEqual([line for line in files if str(worker.file) not in line], [])
                self.assertEqual((traceback[0], traceback[-1]), (TRACEBACK, "ValueError: bad value: 7"))
                is_stream = "true" if "gen" in do else "false"
                self.assertEqual(service.result_call(job_id).query["isStream"], is_stream)
        self.assert_still_works(service)

    def test_what_a_failed_job_printed_is_in_its_error_where_that_is_asked_for(self) -> None:
        source = """
            import sys
            def speak(name):
                print(f"{name} began")
                print(f"{name} fell", file=sys.stderr)
                raise ValueError(name)
            async def later(name): speak(name)
            def chunks(name):
                yield 1
                speak(name)
            def handler(job):
                return {"sync": speak, "async": later, "gen": chunks}[job["input"]["do"]](job["input"]["do"])
        """
        for mode, is_there in {"ALL": True, "auto": False, "off": False}.items():
            service, worker = self.start(source, RUNPOD_LOG_CAPTURE=mode)
            for do in ("sync", "async", "gen"):
                with self.subTest(f"{do}, {mode}"):
                    printed = service.error(service.submit({"do": do})).get("logs")
                    self.assertEqual(printed, f"{do} began\n{do} fell\n" if is_there else None)
                    self.wait_for_log(worker, f"{do} fell")

    def test_the_causes_of_an_exception_are_trimmed_too(self) -> None:
        service, _ = self.start("""
            import json
            def handler(job):
                try:
                    json.dumps(object())
                except TypeError as error:
                    raise RuntimeError("outer") from error
        """)
        traceback = service.error(service.submit())["error_traceback"]
        self.assertIn("TypeError: Object of type object is not JSON serializable", traceback)
        self.assertIn("RuntimeError: outer", traceback)
        self.assertNotIn("svc_worker/", traceback)

    def test_exceptions_that_would_end_a_process_fail_only_the_job(self) -> None:
        service, _ = self.start("""
            import asyncio, sys
            class Broken(Exception):
                def __str__(self):
                    raise RuntimeError("no text")
            async def leave():
                sys.exit("bye")
            async def leave_in_a_task():
                asyncio.create_task(leave())
                await asyncio.sleep(0)
                await asyncio.sleep(0)
                return "left"
            def interrupt():
                raise KeyboardInterrupt
            def stream():
                yield 1
                raise GeneratorExit
            def broken():
                raise Broken
            def handler(job):
                return ACTIONS[job["input"]["do"]]()
            ACTIONS = {"work": lambda: "fine", "sync": lambda: sys.exit(3), "async": leave, "task": leave_in_a_task,
                       "interrupt": interrupt, "stream": stream, "broken": broken}
        """)
        found = {}
        for do in ("sync", "async", "interrupt", "stream", "broken"):
            error = service.error(service.submit({"do": do}))
            found[do] = (error["error_type"], error["error_message"])
        self.assertEqual(
            found,
            {
                "sync": ("<class 'SystemExit'>", "3"),
                "async": ("<class 'SystemExit'>", "bye"),
                "interrupt": ("<class 'KeyboardInterrupt'>", ""),
                "stream": ("<class 'GeneratorExit'>", ""),
                "broken": ("<class 'handler.Broken'>", "<Broken whose text cannot be shown>"),
            },
        )
        self.assertEqual(service.result(service.submit({"do": "task"})), {"output": "left"})
        self.assert_still_works(service)

    def test_output_that_is_not_json_fails_the_job_and_says_where(self) -> None:
        service, _ = self.start("""
            def stream():
                yield "good"
                yield {"at": {1, 2}}
            def handler(job):
                return ACTIONS[job["input"]["do"]]()
            ACTIONS = {"work": lambda: "fine", "stream": stream,
                       "set": lambda: {"a": [{1}]}, "nan": lambda: float("nan")}
        """)
        a_set, nan, stream = service.submit_all([{"do": "set"}, {"do": "nan"}, {"do": "stream"}])
        self.assertRegex(service.error(a_set)["error_message"], r"^output\['a'\]\[0\] is a set, ")
        self.assertRegex(service.error(a_set)["error_traceback"], r"^TypeError: output")
        self.assertRegex(service.error(nan)["error_message"], r"^output is nan, ")
        self.assertRegex(service.error(stream)["error_message"], r"^chunk\['at'\] is a set, ")
        self.assertEqual(service.chunks(stream), ["good"])
        self.assert_still_works(service)

    def test_a_yielded_error_ends_the_stream_and_is_not_streamed(self) -> None:
        for kind in ("def", "async def"):
            with self.subTest(kind):
                service, _ = self.start(f"""
                    {kind} handler(job):
                        yield 1
                        yield {{"error": "half way", "done": 1}}
                        yield 2
                """)
                job_id = service.submit()
                call = service.result_call(job_id)
                self.assertEqual(call.body, {"error": "half way", "output": {"done": 1}})
                self.assertEqual(call.query["isStream"], "true")
                self.assertEqual(service.chunks(job_id), [1])


TRACEBACK = "Traceback (most recent call last):"
