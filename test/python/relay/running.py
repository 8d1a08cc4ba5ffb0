"""Real processes of svc_relay, and the two sides that they stand between."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from socketserver import ThreadingMixIn, UnixStreamServer
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
RUNTIME = ROOT / "resources" / "python"

# Only for tests that are about to fail: everything else waits for a fact.
PATIENCE_S = 90.0


def until(fact: Callable[[], Any], what: str) -> Any:
    """Wait for a fact that can only be looked at."""
    deadline = time.monotonic() + PATIENCE_S
    while not (found := fact()):
        if time.monotonic() > deadline:
            raise AssertionError(f"did not come: {what}")
        time.sleep(0.01)
    return found


class RunsPrograms(unittest.TestCase):
    """A test with a folder, and with programs that end with it."""

    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="relay-"))
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.way = self.folder / "way.sock"

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-m", "svc_relay", *arguments],
            env={**os.environ, "PYTHONPATH": str(RUNTIME)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

        def end() -> None:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGKILL)
            process.communicate()

        self.addCleanup(end)
        return process

    def start_listening(self, *arguments: str) -> tuple[subprocess.Popen[str], str]:
        """The same for one that tells where it listens; with that address, at which it answers from then on."""
        process = self.start(*arguments)
        line = process.stdout.readline() if process.stdout else ""
        self.assertRegex(line, r"^listening on 127\.0\.0\.1:\d+$")
        return process, line.removeprefix("listening on ").strip()

    def listener(self, path: Path | None = None) -> socket.socket:
        """The tunnel as a connection to this machine makes it: a socket, in place of the one before."""
        path = path or self.way
        path.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        listener.listen(256)
        listener.settimeout(PATIENCE_S)
        self.addCleanup(listener.close)
        return listener


class _UnixHttpServer(ThreadingMixIn, UnixStreamServer):
    daemon_threads = True
    request_queue_size = 64


def serve_http(path: Path, answer: Callable[[str, str], tuple[int, bytes]]) -> Callable[[], None]:
    """Answer HTTP at a socket: `answer` gets method and target. Call the result to end it."""

    class Handler(BaseHTTPRequestHandler):
        def address_string(self) -> str:
            return "unix"

        def log_message(self, *_: Any) -> None:
            pass

        def do_GET(self) -> None:
            status, body = answer(self.command, self.path)
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if body:
                self.wfile.write(body)

        do_POST = do_GET

    path.unlink(missing_ok=True)
    server = _UnixHttpServer(str(path), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def end() -> None:
        server.shutdown()
        server.server_close()
        path.unlink(missing_ok=True)

    return end
