"""Start and end of a worker process."""

import signal

from support import WorkerTest

WAIT = """
    from svc_worker import progress
    def handler(job):
        progress("waiting")
        return open("gate").read()
"""


class Start(WorkerTest):
    def assert_ends(self, source: str, last_line: str, **env: str) -> list[str]:
        service, worker = self.start(source, **env)
        self.assertEqual(worker.exit_code(), 1)
        lines = worker.log().splitlines()
        self.assertEqual(lines[-1], last_line.replace("FILE", str(worker.file)))
        self.assertEqual(service.calls, [])
        return lines

    def test_an_error_at_import_shows_a_traceback_from_the_users_file_on(self) -> None:
        lines = self.assert_ends("def load():\n    raise OSError('no model')\nload()", "OSError: no model")
        self.assertEqual(lines[0], "Traceback (most recent call last):")
        self.assertRegex(lines[1], r'^  File ".*handler\.py", line 3, in <module>$')

    def test_a_syntax_error_shows_the_line(self) -> None:
        lines = self.assert_ends("def handler(job)\n    pass", "SyntaxError: expected ':'")
        self.assertRegex(lines[0], r'^  File ".*handler\.py", line 1$')

    def test_an_exit_at_import_does_not_pass_in_silence(self) -> None:
        self.assert_ends("import sys\nsys.exit(0)", "SystemExit: 0")

    def test_a_file_without_a_handler_is_refused(self) -> None:
        for source in ("x = 1", "handler = 7"):
            self.assert_ends(source, 'svc_worker: FILE defines no function named "handler"')

    def test_settings_that_make_no_sense_are_refused_by_name(self) -> None:
        ok = "def handler(job): pass"
        cases = {
            "RUNPOD_POD_ID": ("", "RUNPOD_POD_ID is not set; a worker is started by the service, not by hand"),
            "RUNPOD_WEBHOOK_PING": (
                "http://x/",
                "RUNPOD_WEBHOOK_PING must hold a '?': parameters are appended to it with '&'",
            ),
            "SVC_CONCURRENCY": ("0", "SVC_CONCURRENCY must be a whole number of at least 1, not '0'"),
            "RUNPOD_WEBHOOK_GET_JOB": (
                "http://x/take?a=b",
                "RUNPOD_WEBHOOK_GET_JOB must hold /job-take/: other addresses are made from it",
            ),
            "RUNPOD_WEBHOOK_POST_STREAM": (
                "http://other.example/x?a=b",
                "RUNPOD_WEBHOOK_POST_STREAM must be at the same host and port as RUNPOD_WEBHOOK_GET_JOB",
            ),
        }
        for name, (value, line) in cases.items():
            with self.subTest(name):
                self.assert_ends(ok, f"svc_worker: {line}", **{name: value})
        self.assert_ends(
            "def handler(job): pass\nconfig = {'concurrency': 0}",
            'svc_worker: FILE: config["concurrency"] must be an int of at least 1',
        )

    def test_a_file_that_is_not_there_is_named(self) -> None:
        _, probe = self.start("handler = print")
        missing = probe.folder / "missing.py"
        _, worker = self.start(missing)
        self.assertEqual(worker.exit_code(), 1)
        self.assertEqual(worker.log(), f"svc_worker: {missing} does not exist or is not a file\n")


class End(WorkerTest):
    def test_an_idle_worker_ends_at_once_when_asked(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                service, worker = self.start("def handler(job): pass")
                service.wait_for(lambda s=service: s.of("job-take") and s.of("job-stop"), "open polls")
                worker.process.send_signal(number)
                self.assertEqual(worker.exit_code(), 0)

    def test_a_draining_worker_finishes_and_posts_its_jobs_and_takes_no_more(self) -> None:
        for concurrency in ("1", "2"):
            with self.subTest(concurrency):
                service, worker = self.start(WAIT, SVC_CONCURRENCY=concurrency)
                gate = worker.gate("gate")
                job_id = service.submit()
                service.wait_for(lambda s=service, j=job_id: s.progress(j), "the handler to run")
                worker.terminate()
                self.wait_for_log(worker, "finishing current jobs, then stopping")
                left = service.submit()
                worker.open_gate(gate)
                self.assertEqual(worker.exit_code(), 0)
                self.assertEqual((service.result(job_id), service.results(left)), ({"output": "go"}, []))
                self.assertNotIn("take", service.result_call(job_id).query)

    def test_a_job_can_be_cancelled_while_the_worker_drains(self) -> None:
        service, worker = self.start("""
            import asyncio
            from svc_worker import progress
            async def handler(job):
                progress("waiting")
                await asyncio.Event().wait()
        """)
        job_id = service.submit()
        service.wait_for(lambda: service.progress(job_id), "the handler to run")
        worker.terminate()
        self.wait_for_log(worker, "finishing current jobs, then stopping")
        with service.changed:
            service.stops.append(job_id)
            service.changed.notify_all()
        self.assertEqual((worker.exit_code(), service.results(job_id)), (0, []))

    def test_the_second_signal_ends_the_worker_at_once(self) -> None:
        service, worker = self.start(WAIT)
        worker.gate("gate")
        job_id = service.submit()
        service.wait_for(lambda: service.progress(job_id), "the handler to run")
        worker.terminate()
        self.wait_for_log(worker, "finishing current jobs, then stopping")
        worker.terminate()
        self.assertEqual(worker.exit_code(), 128 + signal.SIGTERM)

    def test_a_signal_during_the_import_ends_the_worker_at_once(self) -> None:
        _, worker = self.start("import threading\nprint('loading')\nthreading.Event().wait()")
        self.wait_for_log(worker, "loading")
        worker.terminate()
        self.assertEqual(worker.exit_code(), 0)

    def test_the_users_exit_functions_run(self) -> None:
        service, worker = self.start("""
            import atexit
            atexit.register(print, "left in order")
            def handler(job):
                pass
        """)
        service.wait_for(lambda: service.of("job-take"), "a take")
        worker.terminate()
        self.assertEqual(worker.exit_code(), 0)
        self.assertIn("left in order", [line["message"] for line in worker.lines()])

    def test_a_thread_of_the_user_that_never_ends_does_not_hold_the_worker(self) -> None:
        service, worker = self.start("""
            import threading
            from svc_worker import _exit
            _exit.EXIT_TIME_S = 0.1  # so that this test is quick
            threading.Thread(target=threading.Event().wait).start()
            def handler(job):
                pass
        """)
        service.wait_for(lambda: service.of("job-take"), "a take")
        worker.terminate()
        self.assertEqual(worker.exit_code(), 0)

    def test_a_worker_to_be_replaced_takes_nothing_more_and_waits_to_be_ended(self) -> None:
        by_result = "def handler(job): return {'refresh_worker': True, 'x': 1}"
        by_config = "config = {'refresh_worker': True}\ndef handler(job): return {'x': 1}"
        for source in (by_result, by_config):
            for concurrency in ("1", "2"):
                with self.subTest(source, concurrency=concurrency):
                    service, worker = self.start(source, SVC_CONCURRENCY=concurrency)
                    job_id = service.submit()
                    self.assertEqual(service.result(job_id), {"output": {"x": 1}, "stopPod": True})
                    self.wait_for_log(worker, "this worker will be replaced: finishing current jobs, then stopping")
                    left = service.submit()
                    pings = len(service.of("ping"))
                    service.wait_for(lambda s=service, n=pings: len(s.of("ping")) > n, "a sign of life")
                    self.assertEqual(service.results(left), [])
                    worker.terminate()
                    self.assertEqual(worker.exit_code(), 0)


class Pings(WorkerTest):
    def test_pings_name_the_running_jobs_and_go_on_while_a_sync_handler_computes(self) -> None:
        service, worker = self.start("""
            import os
            def handler(job):
                while not os.path.exists("enough"):
                    sum(range(1000))
        """)
        service.wait_for(lambda: service.of("ping"), "an idle ping")
        self.assertRegex(service.of("ping")[0].query["runpod_version"], r"^svc-\d")
        self.assertNotIn("job_id", service.of("ping")[0].query)
        job_id = service.submit()
        service.wait_for(lambda: [c for c in service.of("ping") if c.query.get("job_id") == job_id], "a busy ping")
        (worker.folder / "enough").touch()
        self.assertEqual(service.result(job_id), {"output": None})
