"""The runtime's API for handlers."""

import unittest

import svc_worker
from support import WorkerTest


class Context(WorkerTest):
    def test_progress_is_posted_in_order_and_before_the_result(self) -> None:
        for kind in ("def", "async def"):
            with self.subTest(kind):
                service, _ = self.start(f"""
                    from svc_worker import progress
                    {kind} handler(job):
                        for n in range(50):
                            progress({{"step": n}})
                        return "end"
                """)
                job_id = service.submit()
                self.assertEqual(service.result(job_id), {"output": "end"})
                self.assertEqual(service.progress(job_id), [{"step": n} for n in range(50)])
                self.assertIn("status", service.of("job-done", job_id)[-2].body)
                self.assertEqual(service.of("job-done", job_id)[0].query, {"w": "1", "isStream": "false"})

    def test_progress_that_is_no_json_is_dropped_and_the_result_counts(self) -> None:
        service, worker = self.start("""
            from svc_worker import progress
            def handler(job):
                for value in (object(), float("nan"), b"x", "kept"):
                    progress(value)
                return "end"
        """)
        job_id = service.submit()
        self.assertEqual(service.result(job_id), {"output": "end"})
        self.assertEqual(service.progress(job_id), ["kept"])
        self.wait_for_log(worker, "a progress update was dropped: progress value is nan, which JSON cannot hold")

    def test_a_flood_of_progress_is_thinned_out_but_the_last_update_arrives(self) -> None:
        service, _ = self.start("""
            from svc_worker import progress
            def handler(job):
                for n in range(20_000):
                    progress(n)
        """)
        job_id = service.submit()
        self.assertEqual(service.result(job_id), {"output": None})
        sent = service.progress(job_id)
        self.assertEqual((sent, sent[-1]), (sorted(sent), 19_999))
        self.assertLess(len(sent), 20_000)

    def test_every_kind_of_handler_knows_its_job(self) -> None:
        service, _ = self.start("""
            import asyncio
            from svc_worker import current_job_id
            config = {"concurrency": 2, "return_aggregate_stream": True}
            def sync():
                return [current_job_id()]
            async def async_():
                return [current_job_id(), await asyncio.to_thread(current_job_id)]
            def gen():
                yield current_job_id()
            async def agen():
                yield current_job_id()
            def handler(job):
                return globals()[job["input"]]()
        """)
        for kind, times in {"sync": 1, "async_": 2, "gen": 1, "agen": 1}.items():
            job_id = service.submit(kind)
            self.assertEqual(service.result(job_id), {"output": [job_id] * times})


class OutsideOfAJob(unittest.TestCase):
    def test_there_is_no_job_id_and_progress_does_nothing(self) -> None:
        self.assertIsNone(svc_worker.current_job_id())
        svc_worker.progress({"any": object()})
