"""When the watchdog ends workers, and which: against an engine that notes what it is asked."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
import unittest
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

from running import PATIENCE_S, RunsPrograms, serve_http, until

SERVICE = "abc"
WORKERS = {
    "w1": {"svc.service": SERVICE, "svc.worker": "one"},
    "w2": {"svc.service": SERVICE, "svc.worker": "two"},
    "relay": {"svc.service": SERVICE, "svc.part": "relay"},
    "other": {"svc.service": "other", "svc.worker": "three"},
}


class FakeEngine:
    """Containers with labels, which end when they are stopped."""

    def __init__(self) -> None:
        self.running = dict(WORKERS)
        self.stopped: list[str] = []
        self._lock = threading.Lock()

    def answer(self, method: str, target: str) -> tuple[int, bytes]:
        path, query = urlsplit(target).path, parse_qs(urlsplit(target).query)
        with self._lock:
            if method == "GET" and path == "/containers/json":
                wanted = json.loads(query["filters"][0])["label"]
                found = [{"Id": name, "Labels": of} for name, of in self.running.items() if has_all(of, wanted)]
                return 200, json.dumps(found).encode()
            name = path.split("/")[2]
            self.stopped.append(name)
            return (204, b"") if self.running.pop(name, None) else (404, b'{"message":"no such container"}')


def has_all(labels: dict[str, str], wanted: list[str]) -> bool:
    return all(
        labels.get(name) == value if separator else name in labels
        for name, separator, value in (one.partition("=") for one in wanted)
    )


class Watching(RunsPrograms):
    def setUp(self) -> None:
        super().setUp()
        self.engine = FakeEngine()
        self.asked: list[str] = []
        self.socket = self.folder / "engine.sock"
        self.addCleanup(serve_http(self.socket, self.engine.answer))

    def serve(self, service: str = SERVICE) -> Callable[[], None]:
        def answer(_: str, target: str) -> tuple[int, bytes]:
            self.asked.append(target)
            return (204 if target == f"/reverse-tunnel/{service}" else 404), b""

        return serve_http(self.way, answer)

    def watchdog(self, after: float) -> subprocess.Popen[str]:
        where = ("--to", f"unix:{self.way}", "--engine", str(self.socket))
        return self.start("watchdog", *where, "--service", SERVICE, "--after", str(after))

    def asked_more(self, times: int) -> None:
        before = len(self.asked)
        until(lambda: len(self.asked) >= before + times, f"{times} more questions")

    def expect_end(self, process: subprocess.Popen[str], after: str) -> None:
        output, error = process.communicate(timeout=PATIENCE_S)
        self.assertEqual((process.returncode, error), (0, ""))
        reason = f"its tunnel to the service was down for {after} s"
        said = sorted(output.splitlines())
        self.assertEqual(said, [json.dumps({"container": name, "reason": reason}) for name in ("w1", "w2")])
        self.assertEqual(sorted(self.engine.stopped[:2]), ["w1", "w2"])
        self.assertEqual(self.engine.stopped[2:], ["relay"])
        self.assertEqual(list(self.engine.running), ["other"])

    def test_nothing_ends_while_the_service_answers(self) -> None:
        self.addCleanup(self.serve())
        process = self.watchdog(0.5)
        self.asked_more(3)
        self.assertEqual(self.engine.stopped, [])
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE_S), 0)

    def test_the_workers_of_the_service_end_with_a_reason_when_it_is_away_for_long(self) -> None:
        end = self.serve()
        process = self.watchdog(2)
        self.asked_more(1)
        end()
        self.expect_end(process, "2")

    def test_a_service_that_is_back_in_time_keeps_its_workers(self) -> None:
        end = self.serve()
        process = self.watchdog(3)
        self.asked_more(2)
        end()
        self.addCleanup(self.serve())
        self.asked_more(4)  # more seconds than it has in all
        self.assertEqual(self.engine.stopped, [])
        self.assertIsNone(process.poll())

    def test_another_service_at_the_other_end_is_none(self) -> None:
        self.addCleanup(self.serve("xyz"))
        self.expect_end(self.watchdog(1), "1")

    def test_an_engine_that_does_not_answer_is_asked_again(self) -> None:
        hidden = self.folder / "hidden.sock"
        self.socket.rename(hidden)
        process = self.watchdog(0.5)
        line = process.stderr.readline() if process.stderr else ""
        self.assertRegex(line, "^the engine does not answer: ")
        hidden.rename(self.socket)
        process.wait(PATIENCE_S)
        self.assertEqual(list(self.engine.running), ["other"])


if __name__ == "__main__":
    unittest.main()
