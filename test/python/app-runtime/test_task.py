"""Tasks: one function, run once as a job of a worker that ends afterwards."""

from typing import Any

from runtime_support import TASK, RuntimeTest
from support import FakeService, Worker

SOURCE = """
import asyncio

def f(a, b=1):
    print("at work")
    return a + b

async def f_async(a):
    await asyncio.sleep(0)
    return a

def f_chunks(n):
    yield from range(n)

async def f_chunks_async(n):
    for i in range(n):
        await asyncio.sleep(0)
        yield i

def f_broken():
    raise ValueError("asked to break")

def f_exits():
    raise SystemExit(3)
"""


def request(function: str, *args: Any, **more: Any) -> dict[str, Any]:
    return {
        "function_name": function,
        "function_code": SOURCE,
        "args": list(args),
        "serialization_format": "json",
        **more,
    }


class Tasks(RuntimeTest):
    def task(self, **env: str) -> tuple[FakeService, Worker]:
        return self.worker(TASK, **self.packages(), **env)

    def body(self, function: str, *args: Any, **more: Any) -> Any:
        service, _ = self.task()
        return service.result(service.submit(request(function, *args, **more)))

    def test_a_function_runs_once_and_its_worker_takes_no_further_one(self) -> None:
        service, worker = self.task()
        response = {"success": True, "json_result": 3, "stdout": "at work\n"}
        self.assertEqual(service.result(service.submit(request("f", 1, kwargs={"b": 2})))["output"], response)
        self.wait_for_log(worker, "this worker will be replaced: finishing current jobs, then stopping")
        self.assertIn('"message": "at work"', worker.log())

    def test_whatever_the_function_is_its_value_comes_whole(self) -> None:
        self.assertEqual(self.body("f_async", 5)["output"]["json_result"], 5)
        self.assertEqual(self.body("f_chunks", 3)["output"]["json_result"], [0, 1, 2])
        self.assertEqual(self.body("f_chunks_async", 2)["output"]["json_result"], [0, 1])

    def test_what_a_function_raises_fails_the_job_with_its_traceback(self) -> None:
        self.assertRegex(self.body("f_broken")["error"], r"(?s)^Traceback .*in f_broken.*ValueError: asked to break$")
        self.assertIn("SystemExit: 3", self.body("f_exits")["error"])
        self.assertIn('defines no function "f_missing"', self.body("f_missing")["error"])
