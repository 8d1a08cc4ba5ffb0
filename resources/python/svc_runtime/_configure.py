"""Tells the package where the volumes and the model of a worker are, which it looks for at paths of containers."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from svc_runtime._start import StartError

_KINDS = ("network", "global")


def configure(env: Mapping[str, str]) -> None:
    """Call before the user's code is imported, with the packages of the app on sys.path. Raises StartError."""
    if mounts := _read_mounts(env.get("RUNPOD_MOUNTS")):
        _configure_mounts(mounts)
    if folder := env.get("SVC_MODEL_FOLDER"):
        _configure_model(Path(folder))


def _configure_mounts(mounts: list[dict[str, str]]) -> None:
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


def _read_mounts(text: str | None) -> list[dict[str, str]]:
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


def _configure_model(files: Path) -> None:
    """`files`: CACHE/hub/models--OWNER--NAME/snapshots/COMMIT."""
    if importlib.util.find_spec("runpod") is None:
        return
    try:
        package = importlib.import_module("runpod.apps.model")
        elsewhere = package.Model.path.fget
    except (ImportError, AttributeError):  # another version
        return
    ours = files.parents[1].name
    package.HF_CACHE_ROOT = files.parents[3]

    def path(self: object) -> Path:
        """The folder of the files, of the model that this worker has."""
        is_ours = f"models--{self.owner}--{self.name}" == ours  # type: ignore[attr-defined]
        return files if is_ours else elsewhere(self)

    package.Model.path = property(path)
