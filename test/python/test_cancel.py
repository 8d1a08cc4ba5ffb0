"""The stop channel."""

from support import WorkerTest


class Cancel(WorkerTest):
    def test_an_async_handler_is_cancelled_cleans_up_and_posts_nothing(self) -> None:
        service, worker = self.start("""
            import asyncio
            from svc_worker import progress
            async def handler(job):
                if job["input"] == "next":
                    return "next"
                try:
                    progress("waiting")
                    await asyncio.Event().wait()
                finally:
                    await asyncio.sleep(0)
                    print("cleaned up")
        """)
        job_id = service.submit()
        service.wait_for(lambda: service.progress(job_id), "the handler to run")
        service.stop(job_id)
        self.assertEqual(service.result(service.submit("next")), {"output": "next"})
        self.assertEqual(service.results(job_id), [])
        self.assertEqual([line["message"] for line in worker.lines(job_id)], ["cleaned up"])

    def test_an_async_generator_is_cancelled_and_posts_nothing_more(self) -> None:
        service, _ = self.start("""
            import asyncio
            async def handler(job):
                yield job["input"]
                if job["input"] != "next":
                    await asyncio.Event().wait()
        """)
        job_id = service.submit("first")
        service.wait_for(lambda: service.chunks(job_id), "the first chunk")
        service.stop(job_id)
        self.assertEqual(service.result(service.submit("next")), {"output": []})
        self.assertEqual((service.chunks(job_id), service.results(job_id)), (["first"], []))

    def test_a_sync_generator_stops_between_two_yields_and_posts_nothing_more(self) -> None:
        service, worker = self.start("""
            def handler(job):
                if job["input"] != "next":
                    try:
                        yield "first"
                        open("gate").read()
                        yield "second"
                        print("not reached")
                    finally:
                        print("closed")
        """)
        gate = worker.gate("gate")
        job_id = service.submit()
        service.wait_for(lambda: service.chunks(job_id), "the first chunk")
        service.stop(job_id)
        worker.open_gate(gate)
        self.assertEqual(service.result(service.submit("next")), {"output": []})
        self.assertEqual((service.chunks(job_id), service.results(job_id)), (["first"], []))
        self.assertEqual([line["message"] for line in worker.lines(job_id)], ["closed"])

    def test_a_sync_function_is_interrupted_cleans_up_and_posts_nothing(self) -> None:
        service, worker = self.start("""
            from svc_worker import progress
            def handler(job):
                if job["input"] == "next":
                    return "next"
                try:
                    progress("waiting")
                    while True:
                        try:
                            sum(range(100))
                        except Exception:
                            print("not reached")
                finally:
                    print("cleaned up")
        """)
        job_id = service.submit()
        service.wait_for(lambda: service.progress(job_id), "the handler to run")
        service.stop(job_id)
        self.assertEqual(service.result(service.submit("next")), {"output": "next"})
        self.assertEqual(service.results(job_id), [])
        self.assertEqual([line["message"] for line in worker.lines(job_id)], ["cleaned up"])

    def test_a_sync_function_that_blocks_outside_of_python_is_interrupted_when_it_returns(self) -> None:
        service, worker = self.start("""
            from svc_worker import progress
            def handler(job):
                if job["input"] == "next":
                    return "next"
                progress("waiting")
                open("gate").read()
                print("not reached")
        """)
        gate = worker.gate("gate")
        job_id = service.submit()
        service.wait_for(lambda: service.progress(job_id), "the handler to run")
        service.stop(job_id)
        worker.open_gate(gate)
        self.assertEqual(service.result(service.submit("next")), {"output": "next"})
        self.assertEqual((service.results(job_id), worker.lines(job_id)), ([], []))

    def test_of_several_sync_functions_only_the_named_one_is_interrupted(self) -> None:
        service, _ = self.start("""
            import threading
            from svc_worker import progress
            config = {"concurrency": 3}
            release = threading.Event()
            def handler(job):
                if job["input"] == "release":
                    release.set()
                progress("waiting")
                while not release.is_set() or job["input"] == "stopped":
                    pass
                return job["input"]
        """)
        kept, stopped = service.submit_all(["kept", "stopped"])
        service.wait_for(lambda: service.progress(kept) and service.progress(stopped), "both to run")
        service.stop(stopped)
        self.assertEqual(service.result(service.submit("release")), {"output": "release"})
        self.assertEqual(service.result(kept), {"output": "kept"})
        self.assertEqual(service.results(stopped), [])

    def test_a_handler_that_swallows_the_interruption_posts_nothing(self) -> None:
        service, _ = self.start("""
            from svc_worker import progress
            def handler(job):
                if job["input"] == "next":
                    return "next"
                try:
                    progress("waiting")
                    while True:
                        pass
                except BaseException:
                    return "late"
        """)
        job_id = service.submit()
        service.wait_for(lambda: service.progress(job_id), "the handler to run")
        service.stop(job_id)
        self.assertEqual(service.result(service.submit("next")), {"output": "next"})
        self.assertEqual(service.results(job_id), [])

    def test_only_the_named_job_of_several_is_cancelled(self) -> None:
        service, _ = self.start("""
            import asyncio
            from svc_worker import progress
            config = {"concurrency": 3}
            release = asyncio.Event()
            async def handler(job):
                if job["input"] == "release":
                    release.set()
                progress("waiting")
                await release.wait()
                return job["input"]
        """)
        kept, stopped = service.submit_all(["kept", "stopped"])
        service.wait_for(lambda: service.progress(kept) and service.progress(stopped), "both to run")
        service.stop(stopped)
        service.stop("a job that is not here")
        self.assertEqual(service.result(service.submit("release")), {"output": "release"})
        self.assertEqual(service.result(kept), {"output": "kept"})
        self.assertEqual(service.results(stopped), [])

    def test_an_error_that_an_async_handler_raises_by_itself_as_a_cancel_fails_the_job(self) -> None:
        service, _ = self.start("""
            import asyncio
            async def handler(job):
                raise asyncio.CancelledError("own")
        """)
        self.assertEqual(service.error(service.submit())["error_message"], "own")
