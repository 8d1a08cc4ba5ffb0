"""Log lines."""

import io
import os
import subprocess
import sys
import unittest

from support import RUNTIME, WorkerTest
from svc_worker import _logs


class Lines(WorkerTest):
    def test_what_a_job_prints_is_json_with_its_id_and_level(self) -> None:
        service, worker = self.start("""
            import logging, sys
            print("loading")
            def handler(job):
                print("to", "out")
                print("to err", file=sys.stderr)
                logging.getLogger("user").info("said %s", "info")
                logging.warning("careful")
                logging.debug("not shown")
                sys.stdout.write("two\\nlines, the last without an end \\u00e9")
        """)
        job_id = service.submit()
        service.result(job_id)
        service.wait_for(lambda: len(service.of("job-take")) == 2, "the next take")
        self.assertEqual(
            worker.lines(job_id),
            [
                {"requestId": job_id, "message": "to out", "level": "INFO"},
                {"requestId": job_id, "message": "to err", "level": "ERROR"},
                {"requestId": job_id, "message": "said info", "level": "INFO"},
                {"requestId": job_id, "message": "careful", "level": "WARN"},
                {"requestId": job_id, "message": "two", "level": "INFO"},
                {"requestId": job_id, "message": "lines, the last without an end é", "level": "INFO"},
            ],
        )
        self.assertEqual(worker.log().splitlines()[0], '{"message": "loading", "level": "INFO"}')

    def test_the_users_basic_config_keeps_its_level_and_format(self) -> None:
        service, worker = self.start("""
            import logging
            logging.basicConfig(level=logging.DEBUG, format="[%(name)s] %(message)s")
            def handler(job):
                logging.getLogger("user").debug("fine detail")
        """)
        job_id = service.submit()
        service.result(job_id)
        debug = {"requestId": job_id, "message": "[user] fine detail", "level": "DEBUG"}
        self.assertIn(debug, worker.lines(job_id))

    def test_lines_of_jobs_that_print_at_the_same_time_do_not_mix(self) -> None:
        service, worker = self.start("""
            import asyncio
            config = {"concurrency": 3}
            async def handler(job):
                for n in range(100):
                    print(job["id"], end=" ")
                    await asyncio.sleep(0)
                    print(n)
        """)
        jobs = service.submit_all([1, 2, 3])
        for job_id in jobs:
            service.result(job_id)
            expected = [f"{job_id} {n}" for n in range(100)]
            self.assertEqual([line["message"] for line in worker.lines(job_id)], expected)

    def test_a_failed_job_leaves_its_traceback_in_its_log(self) -> None:
        service, worker = self.start("def handler(job): raise ValueError('why')")
        job_id = service.submit()
        service.result(job_id)
        (line,) = worker.lines(job_id)
        self.assertEqual((line["level"], line["message"].splitlines()[0]), ("ERROR", "job failed"))
        self.assertEqual(line["message"].splitlines()[-1], "ValueError: why")

    def test_output_of_child_processes_stays_as_it_is(self) -> None:
        service, worker = self.start("""
            import subprocess, sys
            def handler(job):
                subprocess.run(["echo", "raw"], stdout=sys.stdout, check=True)
        """)
        service.result(service.submit())
        self.assertIn("raw", worker.log().splitlines())


PRINTING_THREADS = """
import sys, threading
sys.setswitchinterval(1e-6)
def say(name):
    for number in range(1000):
        print(name, number)
        print(name, number, file=sys.stderr)
for name in "abcd":
    threading.Thread(target=say, args=(name,)).start()
"""


class AnyProgram(unittest.TestCase):
    def test_lines_that_threads_print_at_the_same_time_do_not_mix(self) -> None:
        env = {**os.environ, "PYTHONUNBUFFERED": "1", "PYTHONPATH": str(RUNTIME / "svc_start")}
        ran = subprocess.run([sys.executable, "-c", PRINTING_THREADS], env=env, capture_output=True, text=True, check=True)
        expected = sorted(f"{name} {number}" for name in "abcd" for number in range(1000))
        for printed in (ran.stdout, ran.stderr):
            self.assertEqual(sorted(printed.splitlines()), expected)


class LineWriter(unittest.TestCase):
    def setUp(self) -> None:
        self.reader, self.writer = os.pipe()
        self.addCleanup(os.close, self.reader)
        self.addCleanup(os.close, self.writer)
        self.stream = _logs.LineWriter(self.writer, "INFO", io.BytesIO())

    def read(self) -> str:
        return os.read(self.reader, 60_000).decode()

    def line(self, message: str) -> str:
        return f'{{"message": "{message}", "level": "INFO"}}\n'

    def test_a_line_is_cut_when_it_is_longer_than_the_limit(self) -> None:
        limit = _logs.LONGEST_MESSAGE_BYTES
        for length, shown in {
            limit - 1: "x" * (limit - 1),
            limit: "x" * limit,
            limit + 1: "x" * (limit // 2) + " ... [cut] ... " + "x" * (limit // 2),
            limit * 3: "x" * (limit // 2) + " ... [cut] ... " + "x" * (limit // 2),
        }.items():
            with self.subTest(length):
                self.stream.write("x" * length)
                self.stream.write("\n")
                self.assertEqual(self.read(), self.line(shown))

    def test_the_limit_counts_bytes_and_cuts_no_character_in_two(self) -> None:
        self.stream.write("€" * 10_000 + "\n")  # 3 bytes each
        self.assertEqual(self.read(), self.line(" ... [cut] ... ".join(["€" * (_logs.LONGEST_MESSAGE_BYTES // 2 // 3)] * 2)))

    def test_a_progress_bar_is_one_line_with_its_last_state(self) -> None:
        for text in ("\r 10%", "\r 50%", "\r100%", "\r\n", "plain\r\n"):
            self.stream.write(text)
        self.assertEqual(self.read(), self.line("100%") + self.line("plain"))

    def test_text_that_is_no_unicode_is_still_written(self) -> None:
        self.stream.write("a\udc80b\n")
        self.assertEqual(self.read(), self.line("a\\udc80b"))
