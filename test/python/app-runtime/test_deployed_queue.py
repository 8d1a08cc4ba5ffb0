"""Queue functions of an artifact."""

import json

from runtime_support import RuntimeTest, needs_package

APP = """
    import asyncio
    import runpod

    app = runpod.App("shop")

    @app.queue(cpu="cpu3c-1-2")
    def double(x: int, by: int = 2):
        print(f"doubling {x}")
        return {"doubled": x * by}

    @app.queue(cpu="cpu3c-1-2")
    async def wait_a_turn(x: int):
        await asyncio.sleep(0)
        return x + 1

    @app.queue(cpu="cpu3c-1-2")
    def count_up(n: int):
        for i in range(n):
            yield {"i": i}

    @app.queue(cpu="cpu3c-1-2")
    async def count_down(n: int):
        for i in range(n, 0, -1):
            await asyncio.sleep(0)
            yield i

    @app.task(cpu="cpu3c-1-2")
    def nightly():
        return "trained"

    @app.queue(cpu="cpu3c-1-2")
    def called():
        return app.name

    @app.queue(cpu="cpu3c-1-2")
    def broken():
        raise ValueError("asked to break")

    @app.queue(name="other-name", cpu="cpu3c-1-2")
    def empty():
        return open("data.txt").read()

    @app.task(cpu="cpu3c-1-2")
    def train(): ...
"""


@needs_package
class DeployedQueue(RuntimeTest):
    def test_the_fields_of_the_input_are_the_arguments(self) -> None:
        service, worker = self.deployed(APP, "double")
        self.assertEqual(service.result(service.submit({"x": 21})), {"output": {"doubled": 42}})
        job_id = service.submit({"x": 2, "by": 3})
        self.assertEqual(service.result(job_id), {"output": {"doubled": 6}})
        self.assertEqual([line["message"] for line in worker.lines(job_id)], ["doubling 2"])

    def test_arguments_that_do_not_fit_are_named(self) -> None:
        service, _ = self.deployed(APP, "double")
        error = service.result(service.submit({"y": 1}))["error"]
        self.assertEqual(
            error, "double: missing argument x, unexpected argument y; it takes double(x: int, by: int = 2)"
        )

    def test_a_task_that_has_a_schedule_runs_on_a_worker_of_its_own(self) -> None:
        service, worker = self.deployed(APP, "nightly")
        self.assertEqual(service.result(service.submit({}))["output"], "trained")
        self.wait_for_log(worker, "this worker will be replaced: finishing current jobs, then stopping")

    def test_an_async_function_is_awaited(self) -> None:
        service, _ = self.deployed(APP, "wait_a_turn")
        self.assertEqual(service.result(service.submit({"x": 1})), {"output": 2})

    def test_generators_stream_and_end_with_their_chunks(self) -> None:
        for name, chunks in (("count_up", [{"i": 0}, {"i": 1}]), ("count_down", [2, 1])):
            service, _ = self.deployed(APP, name)
            job_id = service.submit({"n": 2})
            self.assertEqual(service.result(job_id), {"output": chunks})
            self.assertEqual(service.chunks(job_id), chunks)

    def test_the_app_has_the_name_under_which_it_was_deployed(self) -> None:
        for env, name in (({}, "shop"), ({"SVC_APP": "copy"}, "copy")):
            service, _ = self.deployed(APP, "called", **env)
            self.assertEqual(service.result(service.submit({})), {"output": name})

    def test_no_arguments_and_a_name_of_its_own_and_the_app_is_the_current_folder(self) -> None:
        service, _ = self.deployed(APP, "other-name", {"data.txt": "from a file"})
        for given in ({"__empty": True}, {}):
            self.assertEqual(service.result(service.submit(given)), {"output": "from a file"})

    def test_an_exception_fails_its_job_with_a_traceback_that_starts_in_the_app(self) -> None:
        service, worker = self.deployed(APP, "broken")
        error = service.error(service.submit({"__empty": True}))
        self.assertEqual((error["error_type"], error["error_message"]), ("<class 'ValueError'>", "asked to break"))
        first = error["error_traceback"].splitlines()[1]
        self.assertRegex(first, r'^  File ".*/main\.py", line \d+, in broken$')
        self.assertIsNone(worker.process.poll())

    def test_as_many_jobs_run_at_once_as_the_app_says(self) -> None:
        source = """
            import runpod, threading
            app = runpod.App("shop")
            together = threading.Barrier(3)

            @app.queue(cpu="cpu3c-1-2", max_concurrency=3)
            def meet(name: str):
                together.wait(90)
                return name
        """
        service, _ = self.deployed(source, "meet", RUNPOD_MAX_CONCURRENCY="3")
        jobs = service.submit_all([{"name": name} for name in "abc"])
        self.assertEqual([service.result(job) for job in jobs], [{"output": name} for name in "abc"])

    def test_a_wrong_concurrency_is_told(self) -> None:
        _, worker = self.deployed(APP, "double", RUNPOD_MAX_CONCURRENCY="many")
        self.assertEqual(
            self.fails_to_start(worker)[-1], "RUNPOD_MAX_CONCURRENCY must be a whole number of at least 1, not 'many'"
        )

    def test_a_module_in_a_package_is_found_and_so_are_those_beside_the_app(self) -> None:
        source = """
            import runpod
            from words import GREETING
            app = runpod.App("shop")

            @app.queue(cpu="cpu3c-1-2")
            def greet(name: str): return GREETING + name
        """
        folder = self.artifact("", **{"shop/greetings.py": source, "words.py": "GREETING = 'hello '"})
        (folder / "main.py").unlink()
        [resource] = json.loads((folder / "runpod_manifest.json").read_text())["resources"]
        self.assertEqual(resource["module"], "shop.greetings")
        service, _ = self.worker(RUNPOD_APP_DIR=str(folder), FLASH_RESOURCE_NAME="greet")
        self.assertEqual(service.result(service.submit({"name": "Ada"})), {"output": "hello Ada"})
