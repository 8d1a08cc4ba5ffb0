"""Volumes of a worker: `RUNPOD_MOUNTS` read, and handed to the package, whose volumes then know their paths."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
from typing import Any

from svc_runtime._start import StartError

_KINDS = ("network", "global")


def configure_mounts(text: str | None) -> None:
    """Call before the user's code is imported, with the packages of the app on sys.path. Raises StartError."""
    mounts = read_mounts(text)
    if not mounts:
        return
    for mount in mounts:
        if not os.path.isdir(mount["path"]):
            print(f"the volume {mount['reference']} is not there: {mount['path']} is no folder of this worker")
    # Without the package the user's code names no volumes.
    if importlib.util.find_spec("runpod") is None:
        return
    try:
        configure = importlib.import_module("runpod.apps.volume")._configure_mounts
    except (ImportError, AttributeError):  # another version
        return
    try:
        configure(mounts)
    except Exception as error:
        raise StartError(f"RUNPOD_MOUNTS is wrong: {error}") from error


def read_mounts(text: str | None) -> list[dict[str, str]]:
    """The mounts in `text`, a JSON list. Raises StartError that names what is wrong with which one."""
    if not text:
        return []
    try:
        found = json.loads(text)
    except ValueError as error:
        raise StartError(f"RUNPOD_MOUNTS is wrong: it is not JSON ({error})") from None
    if not isinstance(found, list):
        raise StartError("RUNPOD_MOUNTS is wrong: it must be a list of mounts")
    for number, mount in enumerate(found, 1):
        if fault := _fault(mount):
            raise StartError(f"RUNPOD_MOUNTS is wrong: mount {number} {fault}")
    return found


def _fault(mount: Any) -> str | None:
    if not isinstance(mount, dict):
        return "must be an object"
    if mount.get("kind") not in _KINDS:
        return f"must be of kind {' or '.join(_KINDS)}, not {mount.get('kind')!r}"
    for field in ("reference", "id"):
        value = mount.get(field)
        if not isinstance(value, str) or not value.strip():
            return f"has no {field}"
    path = mount.get("path")
    plain = isinstance(path, str) and path.startswith("/") and not path.startswith("//") and "\0" not in path
    if not plain or ".." in str(path).split("/"):
        return f"must have an absolute path without '..', not {path!r}"
    return None
