"""Functions whose source comes with every job."""

import base64
import pickle
import textwrap
import zipfile
from pathlib import Path
from typing import Any

from runtime_support import PACKAGES, RUNTIME, RuntimeTest, needs_package
from support import FakeService, Worker

PLAIN = """
    import asyncio

    calls = []

    def f(a, b=2):
        print("adding", a)
        calls.append(a)
        return {"sum": a + b, "calls": len(calls)}

    async def f_async(a):
        await asyncio.sleep(0)
        print("awaited")
        return a

    def f_chunks(n):
        for i in range(n):
            print(f"chunk {i}")
            yield i

    async def f_chunks_async(n):
        for i in range(n):
            await asyncio.sleep(0)
            yield i

    def f_set():
        return {1}

    def f_broken():
        print("before")
        raise ValueError("asked to break")

    def f_broken_chunks():
        yield 1
        raise ValueError("asked to break")
"""


def request(source: str, function: str, *args: Any, **more: Any) -> dict[str, Any]:
    """A request as the package sends it."""
    return {
        "function_name": function,
        "function_code": textwrap.dedent(source),
        "args": list(args),
        "kwargs": {},
        "execution_type": "function",
        "accelerate_downloads": True,
        "serialization_format": "json",
        **more,
    }


class LiveQueue(RuntimeTest):
    service: FakeService
    one: Worker

    @classmethod
    def setUpClass(cls) -> None:
        """Starts one worker for all tests that do not need their own."""
        starter = cls()
        cls.addClassCleanup(starter.doCleanups)
        cls.service, cls.one = starter.live()

    def output(self, service: FakeService, given: Any) -> Any:
        return service.result(service.submit(given))["output"]

    def test_a_plain_source_needs_no_package_and_its_output_is_in_the_answer_and_in_the_log(self) -> None:
        service, worker = self.live(SVC_PACKAGES_FOLDER=str(self.folder()))
        job_id = service.submit(request(PLAIN, "f", 1, kwargs={"b": 3}))
        answer = {"success": True, "json_result": {"sum": 4, "calls": 1}, "stdout": "adding 1\n"}
        call = service.result_call(job_id)
        self.assertEqual((call.body, call.query["isStream"]), ({"output": [answer]}, "true"))
        self.assertEqual(service.chunks(job_id), [answer])
        self.assertEqual([line["message"] for line in worker.lines(job_id)], ["adding 1"])

    def test_an_async_function_is_awaited(self) -> None:
        answer = {"success": True, "json_result": 5, "stdout": "awaited\n"}
        self.assertEqual(self.output(self.service, request(PLAIN, "f_async", 5)), [answer])

    def test_generators_give_marked_answers_chunk_by_chunk(self) -> None:
        job_id = self.service.submit(request(PLAIN, "f_chunks", 2))
        chunks = [{"success": True, "json_result": i, "__stream__": True, "stdout": f"chunk {i}\n"} for i in range(2)]
        self.assertEqual(self.service.result(job_id), {"output": chunks})
        self.assertEqual(self.service.chunks(job_id), chunks)
        self.assertEqual(
            self.output(self.service, request(PLAIN, "f_chunks_async", 1)),
            [{"success": True, "json_result": 0, "__stream__": True}],
        )

    def test_a_source_stays_loaded_and_another_one_runs_when_it_comes(self) -> None:
        source = PLAIN.replace("adding", "counting")
        for count in (1, 2):
            [answer] = self.output(self.service, request(source, "f", 1))
            self.assertEqual(answer["json_result"]["calls"], count)
        [answer] = self.output(self.service, request(source.replace("a + b", "a * 10"), "f", 1))
        self.assertEqual(answer["json_result"], {"sum": 10, "calls": 1})
        [answer] = self.output(self.service, request(source, "f", 1))
        self.assertEqual(answer["json_result"], {"sum": 3, "calls": 3})

    def test_what_fails_is_an_error_with_a_traceback_that_starts_in_the_source(self) -> None:
        for function in ("f_broken", "f_broken_chunks"):
            job_id = self.service.submit(request(PLAIN, function))
            body = self.service.result(job_id)
            self.assertRegex(
                body["error"],
                rf'^Traceback \(most recent call last\):\n  File ".*/live_\w+\.py", line \d+, in {function}\n',
            )
            self.assertTrue(body["error"].endswith("\nValueError: asked to break"), body["error"])
        self.assertEqual(self.service.chunks(job_id), [{"success": True, "json_result": 1, "__stream__": True}])
        self.assertEqual(self.one.lines(job_id)[-1]["message"], f"job failed\n{body['error']}")
        [answer] = self.output(self.service, request(PLAIN, "f", 1))
        self.assertTrue(answer["success"])

    def test_requests_that_cannot_be_run_are_answered_in_words(self) -> None:
        cases = (
            (None, "the input must be an object with function_name and function_code"),
            ({"function_name": "f"}, "function_code is missing: a live worker runs the source that comes with"),
            (request(PLAIN, "nothing"), 'the source defines no function "nothing"'),
            (request(PLAIN, "f", execution_type="class"), "execution_type 'class' is not known here"),
            (request(PLAIN, "f", serialization_format="xml"), "serialization_format must be one of json, cloudpickle"),
            (request(PLAIN, "f", dependencies=["--help"]), "the dependency '--help' is not the name of a package"),
            (request(PLAIN, "f_set"), "TypeError: result is a set, which JSON cannot hold"),
            (request("import not_there_at_all", "f"), "ModuleNotFoundError: No module named 'not_there_at_all'"),
            (request("def f(:", "f"), "SyntaxError: "),
            (request(PLAIN, "f"), "f() missing 1 required positional argument: 'a'"),
        )
        for given, words in cases:
            job_id = self.service.submit_all([given])[0]
            self.assertIn(words, self.service.result(job_id)["error"])

    def test_pickled_arguments_come_back_pickled(self) -> None:
        pickled = [base64.b64encode(pickle.dumps(value)).decode() for value in ({1, 2}, 3)]
        source = "def f(a, b): return a | {b}"
        [answer] = self.output(self.service, request(source, "f", *pickled, serialization_format="cloudpickle"))
        self.assertEqual(pickle.loads(base64.b64decode(answer["result"])), {1, 2, 3})
        self.assertEqual(set(answer), {"success", "result"})

    def test_the_current_folder_is_the_workers_own(self) -> None:
        [answer] = self.output(self.service, request("import os\ndef f(): return os.getcwd()", "f"))
        self.assertRegex(answer["json_result"], r"/state/live/work$")

    @needs_package
    def test_a_source_with_an_app_runs_its_handle_and_init_once_for_each_source(self) -> None:
        source = """
            import runpod
            app = runpod.App("shop")
            made = []
            print("importing")

            @app.queue(name="look", cpu="cpu3c-1-2")
            def see(word: str): return [word, *made]

            @see.init
            def load():
                made.append("model")
        """
        service, worker = self.live("look", PYTHONPATH=f"{RUNTIME}:{PACKAGES}")
        for _ in range(2):
            self.assertEqual(
                self.output(service, request(source, "see", "a")), [{"success": True, "json_result": ["a", "model"]}]
            )
        [answer] = self.output(service, request(source.replace("model", "other"), "see", "b"))
        self.assertEqual(answer["json_result"], ["b", "other"])
        self.assertIn('"message": "importing"', worker.log())

    def test_without_the_package_a_source_that_wants_it_is_told_so(self) -> None:
        service, worker = self.live(SVC_PACKAGES_FOLDER=str(self.folder()))
        error = service.result(service.submit(request("import runpod\ndef f(): ...", "f")))["error"]
        self.assertIn("The app needs the package runpod 2.0; this Python has none.", error)
        self.assertIn("The package runpod>=2.0.0rc2 is missing and could not be installed: ", worker.log())


class Dependencies(RuntimeTest):
    def wheel(self, folder: Path, version: str) -> None:
        info = f"tiny_words-{version}.dist-info"
        with zipfile.ZipFile(folder / f"tiny_words-{version}-py3-none-any.whl", "w") as wheel:
            wheel.writestr("tiny_words.py", f"VERSION = {version!r}\n")
            wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: tiny-words\nVersion: {version}\n")
            wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            wheel.writestr(f"{info}/RECORD", "")

    def test_missing_ones_are_installed_and_those_that_are_there_are_not(self) -> None:
        wheels = self.folder()
        self.wheel(wheels, "1.0")
        service, worker = self.live(PIP_NO_INDEX="1", PIP_FIND_LINKS=str(wheels))
        source = "import tiny_words\ndef f(): return tiny_words.VERSION"
        for dependencies in (["tiny-words"], ["tiny-words", "pip"], ["tiny-words==1.0"]):
            job_id = service.submit(request(source, "f", dependencies=dependencies))
            [answer] = service.result(job_id)["output"]
            self.assertEqual(answer["json_result"], "1.0")
        self.assertEqual(worker.log().count("installing tiny-words"), 1)

    def test_what_cannot_be_installed_is_an_error_that_names_it(self) -> None:
        service, _ = self.live(PIP_NO_INDEX="1")
        job_id = service.submit(request("def f(): ...", "f", dependencies=["not-there-at-all"]))
        error = service.result(job_id)["error"]
        self.assertTrue(error.startswith("the dependencies not-there-at-all could not be installed:\n"), error)
        self.assertIn("No matching distribution found for not-there-at-all", error)

    def test_missing_packages_of_the_system_are_named_in_the_log(self) -> None:
        service, worker = self.live()
        job_id = service.submit(request("def f(): ...", "f", system_dependencies=["not-there-at-all", "sh"]))
        self.assertTrue(service.result(job_id)["output"][0]["success"])
        self.assertIn("A process has those of its machine: sudo apt-get install not-there-at-all;", worker.log())
