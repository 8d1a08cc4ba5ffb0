"""Packages of the system that an app wants: nobody installs them here, but the log names those that are missing.

A process has no right to install them; a container is made with them.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable


def report_missing(names: Iterable[str]) -> None:
    """One line for all, or none."""
    absent = [name for name in names if not _is_there(name)]
    if absent:
        print(f"packages of the system are missing, install them on this machine: {' '.join(absent)}")


def _is_there(name: str) -> bool:
    if shutil.which(name) is not None:
        return True
    query = shutil.which("dpkg-query")
    return query is not None and subprocess.run([query, "-s", name], capture_output=True, check=False).returncode == 0
