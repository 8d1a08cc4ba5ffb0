"""The service's side of the worker protocol on a real socket, and real worker processes that talk to it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import threading
import unittest
from collections import deque
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlsplit

ROOT = Path(__file__).resolve().parents[2]
RUNTIME = ROOT / "resources" / "python"
HELLO = ROOT / "resources" / "examples" / "hello" / "handler.py"

# Only for tests that are about to fail: everything else waits for a fact. As long as in test/support/patience.ts.
PATIENCE_S = 90.0

# In place of a status: no answer at all.
HANG_UP = 0

sys.path.insert(0, str(RUNTIME))


class Call(NamedTuple):
    """One request of a worker: `kind` is the route, e.g. job-take."""

    kind: str
    job_id: str | None
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


class FakeService:
    """Holds takes until a job is submitted and records every call."""

    def __init__(self) -> None:
        self.changed = threading.Condition()
        self.calls: list[Call] = []
        self.jobs: deque[dict[str, Any]] = deque()
        self.stops: deque[str] = deque()
        self.scripted: dict[str, deque[tuple[int, dict[str, str], bytes]]] = {}
        self._submitted = 0
        self._asked_when_named = 0
        self._server: ThreadingHTTPServer | None = None
        self._sockets: set[socket.socket] = set()
        self.come_back(port=0)

    def submit(self, job_input: Any = None, **extra: Any) -> str:
        return self.submit_all([{} if job_input is None else job_input], **extra)[0]

    def submit_all(self, inputs: list[Any], **extra: Any) -> list[str]:
        """Several jobs that are there in the same instant."""
        with self.changed:
            jobs = [{"id": f"job-{self._submitted + n + 1}", "input": item, **extra} for n, item in enumerate(inputs)]
            self._submitted += len(jobs)
            self.jobs.extend(jobs)
            self.changed.notify_all()
        return [job["id"] for job in jobs]

    def stop(self, job_id: str) -> None:
        """Name a job on the stop channel; returns when the worker has acted (it asks for the next)."""
        with self.changed:
            self.stops.append(job_id)
            self.changed.notify_all()
        # Not "asked once more than before": a slow worker may not have asked at all yet.
        self.wait_for(lambda: not self.stops and len(self.of("job-stop")) > self._asked_when_named, "an act on a stop")

    def script(self, kind: str, status: int, headers: dict[str, str] | None = None, body: bytes = b"") -> None:
        """Answer the next call of this kind like this, in the order of scripting; HANG_UP: break the connection."""
        with self.changed:
            self.scripted.setdefault(kind, deque()).append((status, headers or {}, body))
            self.changed.notify_all()

    def of(self, kind: str, job_id: str | None = None) -> list[Call]:
        with self.changed:
            return [call for call in self.calls if call.kind == kind and job_id in (None, call.job_id)]

    def results(self, job_id: str) -> list[Call]:
        return [call for call in self.of("job-done", job_id) if call.body.get("status") != "IN_PROGRESS"]

    def progress(self, job_id: str) -> list[Any]:
        return [c.body["output"] for c in self.of("job-done", job_id) if c.body.get("status") == "IN_PROGRESS"]

    def chunks(self, job_id: str) -> list[Any]:
        return [call.body["output"] for call in self.of("job-stream", job_id)]

    def result_call(self, job_id: str) -> Call:
        self.wait_for(lambda: self.results(job_id), f"the result of {job_id}")
        return self.results(job_id)[0]

    def result(self, job_id: str) -> Any:
        return self.result_call(job_id).body

    def error(self, job_id: str) -> dict[str, str]:
        """The parsed error of a job whose handler raised."""
        parsed: dict[str, str] = json.loads(self.result(job_id)["error"])
        return parsed

    def wait_for(self, fact: Callable[[], Any], what: str) -> None:
        with self.changed:
            if not self.changed.wait_for(fact, PATIENCE_S):
                raise AssertionError(f"waited in vain for {what}; calls: {[call[:3] for call in self.calls[-9:]]}")

    def go_away(self) -> None:
        """Close the listener and every connection, as a crash does."""
        server, self._server = self._server, None
        if server is None:
            return
        server.shutdown()
        server.server_close()
        with self.changed:
            for connection in list(self._sockets):
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            self.changed.notify_all()

    def come_back(self, port: int | None = None) -> None:
        self._server = server = _Server(("127.0.0.1", self.port if port is None else port), _Route)
        server.service = self
        self.port: int = server.server_address[1]
        threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()

    def is_up(self, server: Any) -> bool:
        return self._server is server

    def environment(self) -> dict[str, str]:
        base = f"http://127.0.0.1:{self.port}/v2/hello"
        return {
            "RUNPOD_WEBHOOK_GET_JOB": f"{base}/job-take/$ID?w=1",
            "RUNPOD_WEBHOOK_POST_OUTPUT": f"{base}/job-done/$RUNPOD_POD_ID/$ID?w=1",
            "RUNPOD_WEBHOOK_POST_STREAM": f"{base}/job-stream/$RUNPOD_POD_ID/$ID?w=1",
            "RUNPOD_WEBHOOK_PING": f"{base}/ping/$RUNPOD_POD_ID?w=1",
            "RUNPOD_PING_INTERVAL": "1000",
            "RUNPOD_POD_ID": "abcdefghij0123",
            "RUNPOD_ENDPOINT_ID": "hello",
            "RUNPOD_AI_API_KEY": "worker-token",
        }


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    service: FakeService

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a worker that hangs up is what several tests are about


class _Route(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    server: _Server

    def setup(self) -> None:
        super().setup()
        self.server.service._sockets.add(self.connection)

    def finish(self) -> None:
        self.server.service._sockets.discard(self.connection)
        super().finish()

    def log_message(self, *arguments: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._serve()

    def do_POST(self) -> None:
        self._serve()

    def _serve(self) -> None:
        service = self.server.service
        url = urlsplit(self.path)
        _, _, endpoint, kind, worker_id, *rest = url.path.split("/")
        assert (endpoint, worker_id) == ("hello", "abcdefghij0123"), url.path
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or b"null")
        headers = {name.lower(): value for name, value in self.headers.items()}
        call = Call(kind, rest[0] if rest else None, dict(parse_qsl(url.query)), headers, body)
        with service.changed:
            service.calls.append(call)
            service.changed.notify_all()
            answer = self._answer(service, call)
        if answer is None or answer[0] == HANG_UP:
            self.close_connection = True
        else:
            self._send(*answer)

    def _answer(self, service: FakeService, call: Call) -> tuple[int, dict[str, str], bytes] | None:
        """Called with the lock held. None: the service has gone away meanwhile."""
        if call.kind == "job-take":
            ready: Callable[[], Any] = lambda: service.jobs  # noqa: E731
        elif call.kind == "job-take-batch":
            ready = lambda: service.jobs  # noqa: E731
        elif call.kind == "job-stop":
            ready = lambda: service.stops  # noqa: E731
        else:
            ready = lambda: True  # noqa: E731
        scripted = service.scripted.setdefault(call.kind, deque())
        service.changed.wait_for(lambda: scripted or ready() or not service.is_up(self.server) or self._hung_up())
        if not service.is_up(self.server) or self._hung_up():
            return None
        if scripted:
            return scripted.popleft()
        if call.kind == "job-take":
            return 200, {}, json.dumps(service.jobs.popleft()).encode()
        if call.kind == "job-take-batch":
            count = min(int(call.query["batch_size"]), len(service.jobs))
            return 200, {}, json.dumps([service.jobs.popleft() for _ in range(count)]).encode()
        if call.kind == "job-stop":
            service._asked_when_named = len(service.of("job-stop"))
            return 200, {}, json.dumps({"jobsToStop": [service.stops.popleft()]}).encode()
        return 200, {}, b"{}"

    def _hung_up(self) -> bool:
        """Whether the worker has closed this connection: a job must not be handed to it."""
        with contextlib.suppress(BlockingIOError):
            return not self.connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT)
        return False

    def _send(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status != 204:
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if status != 204:
            self.wfile.write(body)
        self.wfile.flush()


class Worker:
    """A worker process with its own folder and log file."""

    def __init__(self, service: FakeService, source: str | Path, env: dict[str, str], folder: Path) -> None:
        self.folder = folder
        if isinstance(source, Path):
            self.file = source
        else:
            self.file = folder / "handler.py"
            self.file.write_text(textwrap.dedent(source))
        self.log_path = folder / "worker.log"
        inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "svc_worker", str(self.file)],
                cwd=self.file.parent if self.file.exists() else folder,
                env={**inherited, "PYTHONPATH": str(RUNTIME), **service.environment(), **env},
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def terminate(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def exit_code(self) -> int:
        """Waits for the end."""
        try:
            return self.process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the worker did not end; its log: {self.log()}") from None

    def log(self) -> str:
        return self.log_path.read_text()

    def lines(self, job_id: str | None = None) -> list[dict[str, Any]]:
        """The JSON lines of a job; None: those outside of a job."""
        parsed = [json.loads(line) for line in self.log().splitlines() if line.startswith("{")]
        return [line for line in parsed if line.get("requestId") == job_id]

    def gate(self, name: str) -> Path:
        """A named pipe: the handler opens it to wait (`open(name).read()`), the test opens it with open_gate."""
        os.mkfifo(self.folder / name)
        return self.folder / name

    @staticmethod
    def open_gate(path: Path) -> None:
        """Returns when the handler is at the gate, and lets it go on."""
        # A handler that is stopped may leave before it reads.
        with contextlib.suppress(BrokenPipeError):
            path.write_text("go")


class WorkerTest(unittest.TestCase):
    """Fresh service and worker for each test."""

    maxDiff = None

    def start(self, source: str | Path, service: FakeService | None = None, **env: str) -> tuple[FakeService, Worker]:
        service = service or self.start_service()
        folder = tempfile.TemporaryDirectory(prefix="svc-worker-test-")
        self.addCleanup(folder.cleanup)
        worker = Worker(service, source, env, Path(folder.name))
        self.addCleanup(self._end, worker)
        return service, worker

    def start_service(self) -> FakeService:
        service = FakeService()
        self.addCleanup(service.go_away)
        return service

    def _end(self, worker: Worker) -> None:
        worker.process.kill()
        worker.process.wait()
        outcome = getattr(self, "_outcome", None)
        if outcome is not None and not outcome.success:
            print(f"\n--- log of the worker in {self.id()}\n{worker.log()}", file=sys.stderr)

    def wait_for_log(self, worker: Worker, message: str) -> None:
        """Returns when the worker has written this message."""
        follow = subprocess.Popen(["tail", "-n", "+1", "-F", worker.log_path], stdout=subprocess.PIPE, text=True)
        deadline = threading.Timer(PATIENCE_S, follow.kill)
        deadline.start()
        try:
            assert follow.stdout is not None
            if not any(message in line for line in follow.stdout):
                raise AssertionError(f"waited in vain for {message!r} in the log: {worker.log()}")
        finally:
            deadline.cancel()
            follow.kill()
            follow.communicate()
