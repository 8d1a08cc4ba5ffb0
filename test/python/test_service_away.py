"""A service that fails, goes away and comes back."""

from support import HANG_UP, Worker, WorkerTest

ECHO = "def handler(job): return job['input']"


class ServiceAway(WorkerTest):
    def assert_one_outage(self, worker: Worker, reason: str) -> None:
        away, back = worker.lines()
        self.assertEqual(away["level"], "WARN")
        self.assertRegex(away["message"], rf"^service is away \({reason}\); trying again$")
        self.assertEqual(back["message"], "service is back")

    def test_a_worker_goes_on_when_a_service_that_went_away_is_back(self) -> None:
        service, worker = self.start(ECHO)
        self.assertEqual(service.result(service.submit(1)), {"output": 1})
        service.go_away()
        self.wait_for_log(worker, "service is away")
        for kind in ("job-take", "job-stop"):  # a held poll says nothing; the real service answers within 20 s
            service.script(kind, 204)
        service.come_back()
        self.wait_for_log(worker, "service is back")
        self.assertEqual(service.result(service.submit(2)), {"output": 2})
        self.assert_one_outage(worker, "job-(take|stop): .+")

    def test_a_restart_that_the_worker_hardly_sees_loses_nothing(self) -> None:
        service, _ = self.start(ECHO)
        self.assertEqual(service.result(service.submit(1)), {"output": 1})
        service.go_away()
        service.come_back()
        self.assertEqual(service.result(service.submit(2)), {"output": 2})

    def test_an_outage_is_two_log_lines_however_long_it_is(self) -> None:
        service = self.start_service()
        for _ in range(4):
            service.script("job-take", 503)
        _, worker = self.start(ECHO, service)
        self.assertEqual(service.result(service.submit(1)), {"output": 1})
        self.assert_one_outage(worker, "job-take: answer 503")

    def test_a_worker_started_before_its_service_waits_for_it(self) -> None:
        service = self.start_service()
        service.go_away()
        self.start(ECHO, service)
        service.come_back()
        self.assertEqual(service.result(service.submit(1)), {"output": 1})

    def test_a_worker_whose_service_stays_away_ends_itself_with_a_clear_line(self) -> None:
        service = self.start_service()
        service.go_away()
        _, worker = self.start(ECHO, service, SVC_AWAY_LIMIT_MS="200")
        self.assertEqual(worker.exit_code(), 1)
        last = worker.log().splitlines()[-1]
        self.assertRegex(last, r"^svc_worker: the service has been away for \d+ s; this worker ends itself$")

    def test_a_result_and_its_chunks_are_offered_again_after_a_server_error(self) -> None:
        service = self.start_service()
        for kind in ("job-done", "job-stream"):
            service.script(kind, 500)
            service.script(kind, 503)
        self.start("def handler(job): yield 1; yield 2", service)
        job_id = service.submit()
        service.wait_for(lambda: len(service.results(job_id)) == 3, "the third offer")
        self.assertEqual([call.body for call in service.results(job_id)], [{"output": []}] * 3)
        self.assertEqual(service.chunks(job_id), [1, 1, 1, 2])

    def test_a_result_is_offered_again_after_a_broken_connection(self) -> None:
        service = self.start_service()
        for _ in range(2):
            service.script("job-done", HANG_UP)
        self.start(ECHO, service)
        job_id = service.submit(1)
        service.wait_for(lambda: len(service.results(job_id)) == 3, "the third offer")
        self.assertEqual([call.body for call in service.results(job_id)], [{"output": 1}] * 3)

    def test_a_result_survives_a_restart_of_the_service(self) -> None:
        service, worker = self.start("""
            from svc_worker import progress
            def handler(job):
                progress("waiting")
                return open("gate").read()
        """)
        gate = worker.gate("gate")
        job_id = service.submit()
        service.wait_for(lambda: service.progress(job_id), "the handler to run")
        service.go_away()
        worker.open_gate(gate)
        service.come_back()
        self.assertEqual(service.result(job_id), {"output": "go"})

    def test_a_refused_result_is_given_up_with_one_log_line(self) -> None:
        service = self.start_service()
        service.script("job-done", 400)
        _, worker = self.start(ECHO, service)
        first = service.submit(1)
        self.assertEqual(service.result(service.submit(2)), {"output": 2})
        self.assertEqual(len(service.results(first)), 1)
        expected = f"post to /v2/hello/job-done/abcdefghij0123/{first} given up: the service answered 400"
        self.assertEqual([line["message"] for line in worker.lines(first)], [expected])

    def test_a_service_without_a_stop_channel_does_not_disturb_the_worker(self) -> None:
        service = self.start_service()
        for _ in range(3):
            service.script("job-stop", 404)
        _, worker = self.start(ECHO, service)
        service.wait_for(lambda: len(service.of("job-stop")) >= 3, "the third try")
        self.assertEqual(service.result(service.submit(1)), {"output": 1})
        self.assertEqual(worker.lines(), [])
