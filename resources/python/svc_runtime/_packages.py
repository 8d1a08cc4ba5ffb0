"""Packages that a live request asks for: those that are missing are installed into a folder of this worker."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import re
import subprocess
import sys
import threading
from collections.abc import Sequence

from svc_runtime._system_packages import report_missing

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_PIP = ("-m", "pip", "--disable-pip-version-check", "--no-input")
# Two tries of 20 s each for what the network does not give. source: ours; a job waits for it.
_PATIENCE = ("--retries", "1", "--timeout", "20")
# How the installer is called, without what it installs and where.
INSTALL = (*_PIP, "install", "--quiet", *_PATIENCE, "--upgrade")
# Lines of the installer's output in an error. source: ours; the last ones name the package and the reason.
_SHOWN_LINES = 6


class PackageError(Exception):
    """A package could not be installed; the text names it and the reason."""


class Packages:
    """What one worker installs; each requirement is looked at once."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._provided: set[str] = set()
        self._lock = threading.Lock()

    def provide(self, requirements: Sequence[str], system_packages: Sequence[str] = ()) -> None:
        """Returns when all can be imported; the log names missing packages of the system. Raises PackageError."""
        with self._lock:
            wanted = [text for text in dict.fromkeys(requirements) if text not in self._provided]
            missing = [text for text in wanted if not self._is_there(text)]
            if missing:
                self._install(missing)
            self._provided.update(wanted)
            report_missing(name for name in system_packages if name not in self._provided)
            self._provided.update(system_packages)

    def _install(self, requirements: list[str]) -> None:
        shown = " ".join(requirements)
        print(f"installing {shown}")
        # First, so that the versions asked for win over those that this Python has.
        if self._folder not in sys.path:
            sys.path.insert(0, self._folder)
        done = self._pip(*INSTALL, "--target", self._folder, *requirements)
        if done.returncode != 0:
            lines = [line for line in done.stdout.splitlines() if line.strip()][-_SHOWN_LINES:]
            raise PackageError(f"the dependencies {shown} could not be installed:\n" + "\n".join(lines))
        importlib.invalidate_caches()

    def _is_there(self, requirement: str) -> bool:
        name = _NAME.match(requirement.strip())
        if name is None:  # an option or a path: never given to the installer as it stands
            raise PackageError(f"the dependency {requirement!r} is not the name of a package")
        try:
            importlib.metadata.version(name[0])
        except importlib.metadata.PackageNotFoundError:
            return False
        if name[0] == requirement.strip():
            return True
        # A version or extras: the installer knows.
        asked = self._pip(*_PIP, "install", "--dry-run", "--no-index", requirement)
        return asked.returncode == 0 and "Would install" not in asked.stdout

    def _pip(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join(entry for entry in (self._folder, os.environ.get("PYTHONPATH")) if entry)
        return subprocess.run(
            [sys.executable, *arguments],
            # Some distributions refuse even a dry run in their Python; what is installed goes into the worker's folder.
            env={**os.environ, "PYTHONPATH": path, "PIP_BREAK_SYSTEM_PACKAGES": "1"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
