"""Kinds of handlers."""

from support import HELLO, WorkerTest


class HandlerKinds(WorkerTest):
    def test_a_sync_handler_gets_the_whole_job_and_its_return_value_is_the_output(self) -> None:
        service, _ = self.start("def handler(job): return job")
        job_id = service.submit({"x": 1}, webhook="http://w.example/", s3Config={"k": "v"})
        call = service.result_call(job_id)
        whole = {"id": job_id, "input": {"x": 1}, "webhook": "http://w.example/", "s3Config": {"k": "v"}}
        self.assertEqual(call.body, {"output": whole})
        self.assertEqual(call.query, {"w": "1", "isStream": "false", "take": "1"})
        self.assertEqual(call.headers["authorization"], "worker-token")
        self.assertRegex(call.headers["user-agent"], r"^svc-worker/\d")

    def test_an_async_handler_is_awaited(self) -> None:
        service, _ = self.start("""
            import asyncio
            async def handler(job):
                await asyncio.sleep(0)
                return job["input"]["x"] + 1
        """)
        self.assertEqual(service.result(service.submit({"x": 1})), {"output": 2})

    def test_a_generator_is_streamed_in_order_and_ends_with_an_empty_list(self) -> None:
        service, _ = self.start("""
            def handler(job):
                for n in range(600):
                    yield {"n": n}
        """)
        job_id = service.submit()
        call = service.result_call(job_id)
        self.assertEqual(call.body, {"output": []})
        self.assertEqual(call.query["isStream"], "true")
        self.assertEqual(service.chunks(job_id), [{"n": n} for n in range(600)])
        self.assertEqual(service.of("job-stream")[0].query, {"w": "1", "isStream": "false"})

    def test_an_async_generator_is_streamed_in_order(self) -> None:
        service, _ = self.start("""
            import asyncio
            async def handler(job):
                for n in range(600):
                    await asyncio.sleep(0)
                    yield n
        """)
        job_id = service.submit()
        call = service.result_call(job_id)
        self.assertEqual((call.body, call.query["isStream"]), ({"output": []}, "true"))
        self.assertEqual(service.chunks(job_id), list(range(600)))

    def test_an_aggregated_stream_repeats_all_chunks_as_they_were_when_yielded(self) -> None:
        service, _ = self.start("""
            config = {"return_aggregate_stream": True}
            def handler(job):
                seen = []
                for n in range(3):
                    seen.append(n)
                    yield seen
        """)
        job_id = service.submit()
        self.assertEqual(service.result(job_id), {"output": [[0], [0, 1], [0, 1, 2]]})
        self.assertEqual(service.chunks(job_id), [[0], [0, 1], [0, 1, 2]])

    def test_an_async_function_may_return_a_generator(self) -> None:
        service, _ = self.start("""
            def letters():
                yield from "ab"
            async def handler(job):
                return letters()
        """)
        job_id = service.submit()
        self.assertEqual(service.result(job_id), {"output": []})
        self.assertEqual(service.chunks(job_id), ["a", "b"])

    def test_a_callable_object_is_a_handler(self) -> None:
        service, _ = self.start("""
            class Model:
                def __call__(self, job):
                    return "called"
            handler = Model()
        """)
        self.assertEqual(service.result(service.submit()), {"output": "called"})

    def test_the_file_can_import_its_neighbours_and_its_main_block_is_not_run(self) -> None:
        service, _ = self.start("""
            import os, sys
            open("neighbour.py", "w").write("answer = 42")
            import neighbour
            def handler(job):
                return [neighbour.answer, __name__, sys.argv == [__file__]]
            if __name__ == "__main__":
                raise RuntimeError("must not run")
        """)
        self.assertEqual(service.result(service.submit()), {"output": [42, "handler", True]})

    def test_the_module_has_the_name_of_its_file(self) -> None:
        _, probe = self.start("handler = print")
        for file, name in (
            ("worker.py", "worker"),
            ("handler_a.py", "handler_a"),
            ("colorsys.py", "__svc_handler_colorsys__"),
            ("a.b.py", "__svc_handler_a_b__"),
        ):
            with self.subTest(file):
                path = probe.folder / file
                path.write_text("def handler(job): return __name__")
                service, _ = self.start(path)
                self.assertEqual(service.result(service.submit()), {"output": name})
                path.unlink()

    def test_a_neighbour_that_imports_the_file_gets_it_and_no_second_one(self) -> None:
        service, _ = self.start("""
            limits = []
            open("neighbour.py", "w").write("import handler; handler.limits.append(1)")
            import neighbour
            def handler(job):
                return limits
        """)
        self.assertEqual(service.result(service.submit()), {"output": [1]})

    def test_a_handler_py_beside_another_handler_file_can_be_imported(self) -> None:
        _, probe = self.start("answer = 42\ndef handler(job): ...")
        path = probe.folder / "main.py"
        path.write_text("from handler import answer\ndef handler(job): return answer")
        service, _ = self.start(path)
        self.assertEqual(service.result(service.submit()), {"output": 42})

    def test_a_spawned_child_process_of_the_handler_does_not_become_a_worker(self) -> None:
        service, _ = self.start("""
            import multiprocessing
            def square(n):
                return n * n
            def handler(job):
                with multiprocessing.get_context("spawn").Pool(1) as pool:
                    return pool.map(square, [1, 2, 3])
        """)
        self.assertEqual(service.result(service.submit()), {"output": [1, 4, 9]})

    def test_a_forked_child_process_can_be_terminated_and_does_not_drain_the_worker(self) -> None:
        service, _ = self.start("""
            import multiprocessing, threading
            def handler(job):
                child = multiprocessing.get_context("fork").Process(target=threading.Event().wait)
                child.start()
                child.terminate()
                child.join()
                return child.exitcode
        """)
        self.assertEqual(service.result(service.submit()), {"output": -15})
        self.assertEqual(service.result(service.submit()), {"output": -15})


class PublicStart(WorkerTest):
    SOURCE = """
        import runpod
        def work(job):
            yield job["input"]
        runpod.serverless.start({"handler": work, "return_aggregate_stream": True})
    """

    def test_start_of_the_public_package_hands_its_options_to_this_runtime(self) -> None:
        _, probe = self.start("handler = print")  # only for its folder
        package = probe.folder / "runpod" / "serverless"
        package.mkdir(parents=True)
        (package.parent / "__init__.py").write_text("from . import serverless")
        (package / "__init__.py").write_text("def start(config): raise RuntimeError('a second loop')")
        from support import RUNTIME

        service, _ = self.start(self.SOURCE, PYTHONPATH=f"{RUNTIME}:{probe.folder}")
        self.assertEqual(service.result(service.submit({"x": 1})), {"output": [{"x": 1}]})

    def test_without_the_public_package_the_worker_ends_with_a_clear_line(self) -> None:
        _, worker = self.start(self.SOURCE)
        self.assertEqual(worker.exit_code(), 1)
        self.assertEqual(worker.log().splitlines()[-1], "ModuleNotFoundError: No module named 'runpod'")


class HelloExample(WorkerTest):
    def test_every_action_of_the_sample_does_what_its_readme_says(self) -> None:
        service, _ = self.start(HELLO)
        greet, named, nap, count, fail, dance = service.submit_all(
            [
                {},
                {"name": "Ada"},
                {"do": "nap", "seconds": 0.01},
                {"do": "count", "n": 2},
                {"do": "fail"},
                {"do": "dance"},
            ]
        )
        self.assertEqual(service.result(greet), {"output": {"greeting": "Hello, world"}})
        self.assertEqual(service.result(named), {"output": {"greeting": "Hello, Ada"}})
        self.assertEqual(service.result(nap), {"output": {"slept": 0.01}})
        self.assertEqual(service.progress(nap)[0], {"slept": 0.0, "of": 0.01})
        self.assertEqual(service.result(count), {"output": []})
        self.assertEqual(service.chunks(count), [{"count": 1}, {"count": 2}])
        self.assertEqual(service.error(fail)["error_message"], "asked to fail")
        unknown = """unknown "do": 'dance'; use one of: greet, nap, count, fail"""
        self.assertEqual(service.error(dance)["error_message"], unknown)
