"""Packages of the system that an app wants: nobody installs them here, but the log names those that are missing.

A process has no right to install them; the image of a container is built with them.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Sequence


# Of this worker.
_absent: list[str] = []


def report_missing(names: Iterable[str]) -> None:
    """One line for all, or none."""
    absent = [name for name in names if not _is_there(name)]
    _absent.extend(name for name in absent if name not in _absent)
    if absent:
        print(f"packages of the system are missing: {_advice(absent)}")


def missing_hint() -> str:
    """What an error may be due to; empty: nothing is missing."""
    return f"\nThis worker lacks packages of the system: {_advice(_absent)}" if _absent else ""


def _advice(absent: Sequence[str]) -> str:
    shown = " ".join(absent)
    return f"{shown}. A process has those of its machine: sudo apt-get install {shown}; an image of yours has to bring them"


def _is_there(name: str) -> bool:
    if shutil.which(name) is not None:
        return True
    query = shutil.which("dpkg-query")
    return query is not None and subprocess.run([query, "-s", name], capture_output=True, check=False).returncode == 0
