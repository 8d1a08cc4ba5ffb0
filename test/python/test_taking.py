"""How jobs are asked for, and how many run at once."""

import json
import unittest

from support import WorkerTest
from svc_worker._http import Answer
from svc_worker._channels import pause_after_429_s

ECHO = "def handler(job): return job['input']"


class Taking(WorkerTest):
    def test_an_idle_worker_of_one_slot_says_that_nothing_is_in_progress(self) -> None:
        service, _ = self.start(ECHO)
        service.wait_for(lambda: service.of("job-take"), "a take")
        call = service.of("job-take")[0]
        self.assertEqual(
            (call.query, call.headers["authorization"]), ({"w": "1", "job_in_progress": "0"}, "worker-token")
        )

    def test_an_empty_answer_is_followed_by_the_next_take_at_once(self) -> None:
        service = self.start_service()
        for _ in range(200):  # with any pause of note this would take longer than the patience of the test
            service.script("job-take", 204)
        self.start(ECHO, service)
        self.assertEqual(service.result(service.submit(1)), {"output": 1})
        self.assertGreaterEqual(len(service.of("job-take")), 201)

    def test_a_job_in_the_answer_to_a_result_is_run_without_another_take(self) -> None:
        for concurrency in ("1", "2"):
            with self.subTest(concurrency=concurrency):
                service = self.start_service()
                service.script("job-done", 200, body=b'{"ok":true,"jobs":[{"id":"next","input":2}]}')
                service.script("job-done", 200, body=b'{"ok":true,"jobs":[{"id":"last","input":3}]}')
                self.start(ECHO, service, SVC_CONCURRENCY=concurrency)
                service.submit(1)
                self.assertEqual([service.result(job_id) for job_id in ("next", "last")], [{"output": 2}, {"output": 3}])
                self.assertEqual({call.query["take"] for call in service.of("job-done")}, {"1"})

    def test_jobs_in_answers_to_results_keep_the_concurrency(self) -> None:
        service = self.start_service()
        for n in range(300):
            service.script("job-done", 200, body=b'{"ok":true,"jobs":[{"id":"next-%d","input":0}]}' % n)
        waiting = service.submit_all([0] * 300)
        self.start(
            """
            import sys
            sys.setswitchinterval(1e-6)  # threads change places wherever they can
            running = []
            def handler(job):
                running.append(job)
                count = len(running)
                sum(range(3000))
                running.pop()
                return count
        """,
            service,
            SVC_CONCURRENCY="2",
        )
        counts = {service.result(job_id)["output"] for job_id in [*waiting, *(f"next-{n}" for n in range(300))]}
        self.assertLessEqual(max(counts), 2)

    def test_with_a_modifier_of_the_concurrency_results_bring_no_jobs(self) -> None:
        service, _ = self.start("""
            config = {"concurrency_modifier": lambda now: now}
            def handler(job): return job["input"]
        """)
        self.assertNotIn("take", service.result_call(service.submit(1)).query)

    def test_useless_answers_are_passed_over(self) -> None:
        service = self.start_service()
        for body in (b"", b"not json", b"[]", b'{"id":"x"}', b'{"input":{}}', b'{"id":7,"input":{}}', b"[null]"):
            service.script("job-take", 200, body=body)
        _, worker = self.start(ECHO, service)
        self.assertEqual(service.result(service.submit(1)), {"output": 1})
        messages = [line["message"] for line in worker.lines()]
        self.assertEqual(messages.count("the service sent a job without id or input; ignored"), 4)
        self.assertEqual(messages.count("the service sent a job that is not JSON; ignored"), 1)

    def test_too_many_requests_makes_the_worker_wait_as_long_as_asked(self) -> None:
        service = self.start_service()
        service.script("job-take", 429, {"Retry-After": "0"})
        self.start(ECHO, service)
        self.assertEqual(service.result(service.submit(1)), {"output": 1})
        self.assertGreaterEqual(len(service.of("job-take")), 2)

    def test_more_free_slots_than_one_are_asked_for_as_a_batch(self) -> None:
        service, worker = self.start(
            """
            def handler(job):
                return open(job["input"]).read()
        """,
            SVC_CONCURRENCY="3",
        )
        gates = [worker.gate("gate-1"), worker.gate("gate-2")]
        service.wait_for(lambda: service.of("job-take-batch"), "a take")
        self.assertEqual(service.of("job-take-batch")[0].query, {"w": "1", "batch_size": "3", "job_in_progress": "0"})
        first, second = service.submit_all(["gate-1", "gate-2"])
        service.wait_for(lambda: service.of("job-take"), "a take of the last slot")
        self.assertEqual(service.of("job-take")[0].query, {"w": "1", "job_in_progress": "1"})
        for gate in gates:
            worker.open_gate(gate)
        self.assertEqual([service.result(first), service.result(second)], [{"output": "go"}] * 2)

    def test_a_job_that_runs_already_is_not_run_twice(self) -> None:
        service, worker = self.start(
            """
            def handler(job):
                return open("gate").read()
        """,
            SVC_CONCURRENCY="3",
        )
        gate = worker.gate("gate")
        job = {"id": "same", "input": {}}
        service.script("job-take-batch", 200, body=json.dumps([job, job]).encode())
        service.wait_for(lambda: len(service.of("job-take-batch")) == 2, "the next take")
        self.assertEqual(service.of("job-take-batch")[1].query["batch_size"], "2")
        worker.open_gate(gate)
        self.assertEqual(service.result("same"), {"output": "go"})


class Concurrency(WorkerTest):
    def test_four_async_jobs_overlap(self) -> None:
        service, _ = self.start("""
            import asyncio
            config = {"concurrency": 4}
            here, all_here = [], asyncio.Event()
            async def handler(job):
                here.append(job["id"])
                if len(here) == 4:
                    all_here.set()
                await all_here.wait()
                return len(here)
        """)
        self.assertEqual([service.result(j) for j in service.submit_all([1, 2, 3, 4])], [{"output": 4}] * 4)

    def test_two_sync_jobs_overlap_in_threads(self) -> None:
        service, _ = self.start(
            """
            import threading
            meeting = threading.Barrier(2)
            def handler(job):
                meeting.wait()
                return "met"
        """,
            SVC_CONCURRENCY="2",
        )
        self.assertEqual([service.result(j) for j in service.submit_all([1, 2])], [{"output": "met"}] * 2)

    def test_a_single_sync_job_runs_in_the_main_thread(self) -> None:
        service, _ = self.start("""
            import threading
            def handler(job):
                return threading.current_thread() is threading.main_thread()
        """)
        self.assertEqual(service.result(service.submit()), {"output": True})

    def test_the_public_concurrency_modifier_sets_the_number_of_slots(self) -> None:
        service, _ = self.start("""
            config = {"concurrency_modifier": lambda now: {1: 2, 2: 5}.get(now)}
            def handler(job):
                pass
        """)
        service.wait_for(lambda: service.of("job-take-batch"), "a take")
        service.result(service.submit())
        service.wait_for(lambda: len(service.of("job-take-batch")) >= 2, "the next take")
        sizes = [int(call.query["batch_size"]) for call in service.of("job-take-batch")]
        self.assertEqual(sizes[0], 2)
        self.assertGreaterEqual(sizes[1], 4)


class TooManyRequests(unittest.TestCase):
    def test_the_pause_is_five_seconds_unless_the_answer_says_otherwise(self) -> None:
        asked = {"": 5.0, "0": 0.0, "7": 7.0, "-1": 5.0, "Wed, 21 Oct 2026 07:28:00 GMT": 5.0}
        self.assertEqual({text: pause_after_429_s(Answer(429, {"retry-after": text}, b"")) for text in asked}, asked)
        self.assertEqual(pause_after_429_s(Answer(429, {}, b"")), 5.0)
