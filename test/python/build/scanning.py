"""Small projects on disk, scanned in this process."""

from __future__ import annotations

import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from typing import Any

RUNTIME = Path(__file__).resolve().parents[3] / "resources" / "python"

sys.path.insert(0, str(RUNTIME))

from svc_build._scan import scan  # noqa: E402  # the path comes first

# One endpoint, for tests about something else.
HELLO = """
    from svc import Endpoint

    @Endpoint(name="hello")
    def hello(name: str = "world"):
        return f"hello {name}"
"""


class ScanTest(unittest.TestCase):
    """A fresh folder for each test."""

    maxDiff = None

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory(prefix="svc-build-test-")
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name) / "app"
        self.root.mkdir()

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text).removeprefix("\n"), encoding="utf-8")

    def scan(self, files: dict[str, str] | str) -> dict[str, Any]:
        """A text is the one file app.py. Lines count from the first that is not blank."""
        self.write({"app.py": files} if isinstance(files, str) else files)
        return scan(str(self.root))

    def endpoints(self, files: dict[str, str] | str) -> list[dict[str, Any]]:
        """The endpoints of a project without errors."""
        document = self.scan(files)
        self.assertEqual(document["errors"], [])
        found: list[dict[str, Any]] = document["endpoints"]
        return found

    def settings(self, source: str) -> dict[str, Any]:
        """The settings of the one endpoint, without its name."""
        (endpoint,) = self.endpoints(source)
        return {name: value for name, value in endpoint["settings"].items() if name != "name"}

    def errors(self, files: dict[str, str] | str) -> list[str]:
        """`file:line code message` of each error."""
        document = self.scan(files)
        self.assertEqual(document["ok"], not document["errors"])
        return lines_of(document["errors"])

    def warnings(self, files: dict[str, str] | str) -> list[str]:
        """The same of the warnings of a project without errors."""
        document = self.scan(files)
        self.assertEqual(document["errors"], [])
        return lines_of(document["warnings"])


def lines_of(problems: list[dict[str, Any]]) -> list[str]:
    return [f"{p['file']}:{p['line']} {p['code']} {p['message']}" for p in problems]
