"""The folder of a live worker: sources, packages, and what the user's code writes."""

from __future__ import annotations

import atexit
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from typing import NamedTuple


class LiveFolder(NamedTuple):
    """Paths that are there, of this worker alone."""

    sources: str
    packages: str
    work: str


def enter_live_folder(env: Mapping[str, str]) -> LiveFolder:
    """Make it and go there; it is gone when the worker has ended."""
    given = env.get("SVC_STATE_FOLDER")
    if given:  # of a process: the service deletes it with the worker
        root = os.path.join(given, "live")
    else:
        root = tempfile.mkdtemp(prefix="drydock-live-")
        atexit.register(shutil.rmtree, root, ignore_errors=True)
    folder = LiveFolder(*(os.path.join(root, name) for name in LiveFolder._fields))
    for path in folder:
        os.makedirs(path, mode=0o700, exist_ok=True)
    sys.path.append(folder.sources)  # for child processes, which import a function's module by its name
    os.chdir(folder.work)
    return folder
