"""A store in a folder of its own, and a service that speaks with it as a process."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from typing import Any


def line(path: str, content: bytes | None = None, **more: Any) -> str:
    """A line of a manifest."""
    about = {} if content is None else {"sha256": sha256(content), "size": len(content)}
    return json.dumps({"path": path, **about, **more}) + "\n"


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class Sending:
    """A process that receives; the test is the service."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "svc_files", "receive", str(folder)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def say(self, message: dict[str, Any], content: bytes = b"") -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({**message, "bytes": len(content)}).encode() + b"\n" + content)
        self.process.stdin.flush()

    def hear(self) -> Any:
        assert self.process.stdout is not None
        return json.loads(self.process.stdout.readline() or b"null")

    def begin(self, manifest: str, base: str | None = None, added: str | None = None, removed: Any = ()) -> Any:
        text = manifest if added is None else added
        about = {"begin": sha256(manifest.encode()), "owner": "an endpoint", "base": base, "removed": list(removed)}
        self.say(about, text.encode())
        return self.hear()

    def end(self) -> Any:
        self.say({"end": True})
        return self.hear()

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None and not stream.closed:
                stream.close()
        self.process.wait()


class StoreTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def sending(self) -> Sending:
        made = Sending(self.folder)
        self.addCleanup(made.close)
        return made

    def send(self, manifest: str, *contents: bytes) -> Path:
        """Send a whole tree of these contents. Returns its folder."""
        sending = self.sending()
        missing = sending.begin(manifest)["missing"]
        for content in contents:
            if sha256(content) in missing:
                sending.say({"blob": sha256(content)}, content)
        tree = sending.end()["tree"]
        sending.close()
        return self.folder / "trees" / tree

    def command(self, *argv: str) -> Any:
        command = [sys.executable, "-m", "svc_files", argv[0], str(self.folder), *argv[1:]]
        return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)

    def blobs(self) -> set[str]:
        return {path.name for path in self.folder.glob("blobs/*/*")}
