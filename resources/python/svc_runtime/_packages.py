"""Packages that an app needs: those that a live request lacks are installed into a folder of this worker."""

from __future__ import annotations

import importlib
import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Collection, Iterable, Sequence

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_PIP = ("-m", "pip", "--disable-pip-version-check", "--no-input")
# Two tries of 20 s each for what the network does not give. source: ours; a job waits for it.
_PATIENCE = ("--retries", "1", "--timeout", "20")
# How the installer is called, without what it installs and where.
INSTALL = (*_PIP, "install", "--quiet", *_PATIENCE, "--upgrade")
# Lines of the installer's output in an error. source: ours; the last ones name the package and the reason.
_SHOWN_LINES = 6

# Packages of the system that this worker lacks.
_absent: list[str] = []


class PackageError(Exception):
    """A package could not be installed; the text names it and the reason."""


class Packages:
    """The packages that one worker installs; each requirement is checked once."""

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
        if _version_of(name[0]) is None:
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


def report_missing(names: Iterable[str]) -> None:
    """Packages of the system that are missing: one line of the log for all, or none.

    Nobody installs them here: a process has no right to, and the image of a container is built with them.
    """
    absent = [name for name in names if not _is_there(name)]
    _absent.extend(name for name in absent if name not in _absent)
    if absent:
        print(f"packages of the system are missing: {_advice(absent)}")


def missing_hint() -> str:
    """A possible cause of an error; empty: nothing is missing."""
    return f"\nThis worker lacks packages of the system: {_advice(_absent)}" if _absent else ""


def _advice(absent: Sequence[str]) -> str:
    shown = " ".join(absent)
    machine = f"A process has those of its machine: sudo apt-get install {shown}"
    return f"{shown}. {machine}; an image of yours has to bring them"


def _is_there(name: str) -> bool:
    if shutil.which(name) is not None:
        return True
    query = shutil.which("dpkg-query")
    return query is not None and subprocess.run([query, "-s", name], capture_output=True, check=False).returncode == 0


def import_hint(error: BaseException, *, left_out: Collection[str] = (), built_for: str | None = None) -> str:
    """A fix for a failed import, if one is known here: a sentence after a space, or nothing.

    `left_out`: packages that the build expects of the image. `built_for`: version of Python that the packages are for.
    """
    if not isinstance(error, ImportError):
        return ""
    module = (error.name or "").partition(".")[0]
    if module == "runpod":
        return f" The app needs the package runpod 2.0; this Python has {_version_of('runpod') or 'none'}."
    if module and module in left_out:
        return f" The build leaves {module} to the image; for a process: {sys.executable} -m pip install {module}"
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    if built_for is not None and built_for != own:
        return f" The packages of the app are for Python {built_for}, and this worker runs Python {own}."
    return ""


def _version_of(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
