"""The app's manifest: which function belongs to which endpoint. source: docs/spec/app-deploy.md, 6."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from svc._context import find_project

FILE_NAME = "svc_manifest.json"

# Read once for each path and time of change: a rebuilt project must not need a restart of a notebook.
_read: dict[Path, tuple[float, dict[str, str]]] = {}


def endpoint_of(function: str, source_file: str | None) -> str | None:
    """Name of the endpoint that runs this function; None when no manifest is found or it does not name the function."""
    for path in manifest_files(source_file):
        try:
            changed_at = path.stat().st_mtime
        except OSError:
            continue
        if path not in _read or _read[path][0] != changed_at:
            _read[path] = (changed_at, _owners(path))
        return _read[path][1].get(function)
    return None


def manifest_files(source_file: str | None) -> Iterator[Path]:
    """Where a manifest may be: SVC_MANIFEST alone, else: here, beside the code or above it (a worker), in the project's .svc (a script)."""
    if named := os.environ.get("SVC_MANIFEST"):
        yield Path(named)
        return
    yield Path.cwd() / FILE_NAME
    if source_file:
        yield from (folder / FILE_NAME for folder in Path(source_file).resolve().parents)
    if project := find_project(Path.cwd()):
        yield project / ".svc" / FILE_NAME


def _owners(path: Path) -> dict[str, str]:
    """Function -> endpoint. A broken file says nothing: the decorators name the endpoints too."""
    try:
        manifest: Any = json.loads(path.read_text(encoding="utf-8"))
        return {
            function["name"]: name
            for name, resource in manifest["resources"].items()
            for function in resource.get("functions", [])
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
