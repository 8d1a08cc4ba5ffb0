"""Shared by the tests of the package: a stand-in of the service on a real socket, and folders with apps."""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
import textwrap
import threading
import unittest
from collections import deque
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from unittest import mock
from urllib.parse import parse_qsl, urlsplit

TESTS = Path(__file__).resolve().parents[1]
PYTHON = TESTS.parents[1] / "resources" / "python"
for folder in (str(TESTS), str(PYTHON)):
    if folder not in sys.path:
        sys.path.insert(0, folder)

# In place of a status: no answer at all.
HANG_UP = 0


class Call(NamedTuple):
    """A request that the service got."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any


Reply = tuple[int, Any]


class FakeService:
    """Answers the state manager's query, jobs and routes; what a job gives is told by `replies`, by path."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        self.endpoints: dict[str, dict[str, Any]] = {}
        self.replies: dict[str, deque[Reply | Callable[[Call], Reply]]] = {}
        self.connections = 0
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.service = self
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=[0.01], daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def deploy(self, function: str, *, name: str | None = None, load_balanced: bool = False) -> str:
        """A function's endpoint; returns the path of its address."""
        path = f"/{'lb' if load_balanced else 'v2'}/id-of-{function}"
        known = {
            "id": f"id-of-{function}",
            "name": name or function,
            "url": self.url + path,
            "loadBalanced": load_balanced,
        }
        self.endpoints[function] = known
        return path

    def reply(self, path: str, *replies: Reply | Callable[[Call], Reply]) -> None:
        """The answers to requests of this path, in order; the last one stays."""
        self.replies.setdefault(path, deque()).extend(replies)

    def completes(self, function: str, output: Any, **options: Any) -> str:
        path = self.deploy(function, **options)
        self.reply(f"{path}/runsync", (200, {"id": "sync-1", "status": "COMPLETED", "output": output}))
        return path

    def of(self, path: str) -> list[Call]:
        return [call for call in self.calls if call.path == path]

    def inputs(self, function: str) -> list[Any]:
        """Inputs of the jobs of this function."""
        return [call.body["input"] for call in self.calls if call.path.startswith(f"/v2/id-of-{function}/run")]

    def answer(self, call: Call) -> Reply:
        self.calls.append(call)
        replies = self.replies.get(call.path)
        if replies:
            reply = replies.popleft() if len(replies) > 1 else replies[0]
            return reply(call) if callable(reply) else reply
        if call.path == "/graphql":
            return 200, {"data": {"endpointFor": self.endpoints.get(call.body["variables"]["function"])}}
        return 404, {"error": f"no such endpoint: {call.path}", "code": "ENDPOINT_NOT_FOUND"}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    service: FakeService

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a client that hangs up is what several tests are about


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    wbufsize = -1
    disable_nagle_algorithm = True

    def setup(self) -> None:
        super().setup()
        self.server.service.connections += 1

    def log_message(self, *arguments: Any) -> None:
        pass

    def _serve(self) -> None:
        url = urlsplit(self.path)
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        is_json = self.headers.get("Content-Type", "").startswith("application/json")
        body = (json.loads(raw) if raw else None) if is_json else raw
        headers = {name.lower(): value for name, value in self.headers.items()}
        status, reply = self.server.service.answer(
            Call(self.command, url.path, dict(parse_qsl(url.query)), headers, body)
        )
        if status == HANG_UP:
            self.close_connection = True
            return
        data, kind = (
            (reply, "application/octet-stream")
            if isinstance(reply, bytes)
            else (json.dumps(reply).encode(), "application/json")
        )
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()

    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = _serve  # noqa: N815


class PackageTest(unittest.TestCase):
    """Each test has a folder that is the current one, an environment without our variables, and its own modules."""

    maxDiff = None

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="svc-package-test-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name).resolve()
        before = Path.cwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        clean = {
            name: value for name, value in os.environ.items() if not name.startswith(("SVC_", "FLASH_", "RUNPOD_"))
        }
        patched = mock.patch.dict(os.environ, {**clean, "XDG_CONFIG_HOME": str(self.folder / "config")}, clear=True)
        patched.start()
        self.addCleanup(patched.stop)
        self._forget_addresses()

    def start_service(self, *, app: str = "shop", environment: str = "production") -> FakeService:
        """A service, and an environment that names it, an app and a key."""
        service = FakeService()
        self.addCleanup(service.close)
        os.environ.update(SVC_BASE_URL=service.url, SVC_API_KEY="secret", SVC_APP=app, SVC_ENV=environment)
        return service

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))
        return path

    def app(self, text: str, name: str = "worker") -> ModuleType:
        """A file of an app, imported."""
        self.write(f"{name}.py", text)
        return self.import_app(name)

    def import_app(self, name: str) -> ModuleType:
        self.on_path()
        importlib.invalidate_caches()
        return importlib.import_module(name)

    def on_path(self) -> None:
        """The test's folder is where modules are found; its modules are forgotten afterwards."""
        if str(self.folder) in sys.path:
            return
        known = set(sys.modules)
        path = list(sys.path)
        sys.path.insert(0, str(self.folder))
        self.addCleanup(sys.path.__setitem__, slice(None), path)  # the runtime adds folders to it

        def forget() -> None:
            # Inner ones first: the path of a package without __init__.py is found through its parent.
            for name in sorted(set(sys.modules) - known, reverse=True):
                module = sys.modules[name]
                places = [getattr(module, "__file__", None) or "", *getattr(module, "__path__", [])]
                if any(place.startswith(str(self.folder)) for place in places):
                    del sys.modules[name]

        self.addCleanup(forget)

    def _forget_addresses(self) -> None:
        from svc import _calls
        from svc._calls import AddressBook

        patched = mock.patch.object(_calls, "addresses", AddressBook())
        patched.start()
        self.addCleanup(patched.stop)
