"""Workers of 2.0 apps: artifacts made with the real package, live requests, and programs that listen."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
if str(TESTS) not in sys.path:
    sys.path.insert(0, str(TESTS))

from support import PATIENCE_S, RUNTIME, FakeService, Worker, WorkerTest  # noqa: E402

QUEUE = RUNTIME / "svc_runtime" / "svc_queue.py"
API = RUNTIME / "svc_runtime" / "svc_api.py"
TASK = RUNTIME / "svc_runtime" / "svc_task.py"

# Folder with the package runpod 2.0 and what its workers need; the test runner says it.
PACKAGES = os.environ.get("DRYDOCK_TEST_RUNPOD_2", "")
needs_package = unittest.skipUnless(PACKAGES, "the package runpod 2.0 is not installed")

# The service also sets these for every worker.
_CHECKS = {"RUNPOD_SKIP_AUTO_SYSTEM_CHECKS": "true", "RUNPOD_SKIP_GPU_CHECK": "true"}

_MANIFEST = """
    import json, sys
    from pathlib import Path
    from runpod.apps.deploy import build_manifest
    from runpod.apps.discovery import discover_apps
    folder = Path(sys.argv[1])
    [app] = discover_apps(folder)
    version = "%d.%d" % sys.version_info[:2]
    (folder / "runpod_manifest.json").write_text(json.dumps(build_manifest(app, folder, python_version=version)))
"""

# By source: several tests have the same app.
_manifests: dict[str, str] = {}


class RuntimeTest(WorkerTest):
    """Fresh folders and processes for each test."""

    def folder(self) -> Path:
        made = Path(tempfile.mkdtemp(prefix="svc-runtime-test-")).resolve()
        self.addCleanup(shutil.rmtree, made, ignore_errors=True)
        return made

    def artifact(self, source: str, **files: str) -> Path:
        """The folder that a build would be unpacked to; `main.py` has `source`, its manifest is the package's own."""
        folder = self.folder()
        for name, text in {"main.py": source, **files}.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
        manifest = folder / "runpod_manifest.json"
        made = _manifests.get(key := json.dumps([source, files]))
        if made is None:
            self.python(_MANIFEST, str(folder))
            _manifests[key] = manifest.read_text()
        else:
            manifest.write_text(made)
        (folder / "env").symlink_to(PACKAGES)
        return folder

    def python(self, source: str, *arguments: str, **env: str) -> str:
        """The output of a script that has the package."""
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(source), *arguments],
            env={"PATH": os.environ["PATH"], "HOME": str(self.folder()), "PYTHONPATH": PACKAGES, **env},
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def deployed(self, source: str, resource: str, files: dict[str, str] | None = None, **env: str) -> Any:
        """A queue worker of an artifact with this source."""
        folder = self.artifact(source, **(files or {}))
        return self.worker(RUNPOD_APP_DIR=str(folder), FLASH_RESOURCE_NAME=resource, **env)

    def live(self, resource: str = "f", **env: str) -> tuple[FakeService, Worker]:
        """A queue worker that waits for sources."""
        return self.worker(RUNPOD_DEV_RESOURCE=resource, RUNPOD_DEV_APP="shop", **{**self.packages(), **env})

    def packages(self) -> dict[str, str]:
        """Where live workers find the package; nothing is installed in a test."""
        folder = self.folder()
        if PACKAGES:
            (folder / f"runpod-2-python{sys.version_info.major}.{sys.version_info.minor}").symlink_to(PACKAGES)
        return {"SVC_PACKAGES_FOLDER": str(folder), "PIP_NO_INDEX": "1"}

    def worker(self, program: Path = QUEUE, **env: str) -> tuple[FakeService, Worker]:
        home = self.folder()
        state = {"SVC_STATE_FOLDER": str(home / "state"), "HOME": str(home), "PYTHONDONTWRITEBYTECODE": "1"}
        return self.start(program, **{**_CHECKS, **state, **env})

    def fails_to_start(self, worker: Worker) -> list[str]:
        """The lines of its log; it has ended with an error."""
        self.assertEqual(worker.exit_code(), 1)
        return worker.log().splitlines()

    def listen(self, program: Path, **env: str) -> Program:
        """A program that listens; returns when it does."""
        home = self.folder()
        started = Program(program, home, {**_CHECKS, "PYTHONDONTWRITEBYTECODE": "1", **env}, self.own_port())
        self.addCleanup(started.end)
        started.wait_until_it_listens()
        return started

    def own_port(self) -> int:
        """A port that nobody else gets: taken by a socket that does not listen, and that a server may share."""
        taken = socket.socket()
        self.addCleanup(taken.close)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


class Answer:
    def __init__(self, response: http.client.HTTPResponse) -> None:
        self.status = response.status
        self.headers = {name.lower(): value for name, value in response.getheaders()}
        self.body = response.read()

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Program:
    """A process that listens on a port of its own."""

    def __init__(self, program: Path, home: Path, env: dict[str, str], port: int) -> None:
        self.port = port
        self._lines: list[str] = []
        self.process = subprocess.Popen(
            [sys.executable, str(program)],
            cwd=home,
            env={
                "PATH": os.environ["PATH"],
                "HOME": str(home),
                "PORT": str(port),
                "RUNPOD_TASK_PORT": str(port),
                "SVC_STATE_FOLDER": str(home / "state"),
                **env,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def wait_until_it_listens(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.append(line)
            if " listens on " in line:
                return
        raise AssertionError(f"it ended:\n{''.join(self._lines)}")

    def ask(self, method: str, path: str, body: Any = None, *, port: int | None = None, **headers: str) -> Answer:
        connection = http.client.HTTPConnection("127.0.0.1", port or self.port, timeout=PATIENCE_S)
        try:
            raw = None if body is None else body if isinstance(body, (bytes, str)) else json.dumps(body)
            kind = {"content-type": "application/json"} if isinstance(body, (dict, list)) else {}
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, raw, {**kind, **named})
            return Answer(connection.getresponse())
        finally:
            connection.close()

    def terminate(self) -> str:
        """Ends it in order; returns what it printed."""
        self.process.send_signal(signal.SIGTERM)
        rest, _ = self.process.communicate(timeout=PATIENCE_S)
        return "".join(self._lines) + rest

    def end(self) -> None:
        self.process.kill()
        self.process.communicate()
