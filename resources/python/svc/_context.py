"""In which app and environment a call is made, and which endpoint there has the function, as the manifest says."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from svc._errors import NoContextError

# `drydock deploy` creates it when the app has no environment. source: docs/spec/app-deploy.md, 7.
DEFAULT_ENVIRONMENT = "production"
_MARKS = (".svc", "pyproject.toml")
FILE_NAME = "svc_manifest.json"

# Read once for each path and time of change: a rebuilt project must not need a restart of a notebook.
_read: dict[Path, tuple[float, dict[str, str]]] = {}


class Context(NamedTuple):
    """An app and one of its environments, by name."""

    app: str
    environment: str


def find_context(endpoint: str, source_file: str | None = None) -> Context:
    """SVC_APP and SVC_ENV, else the project folder: found upward from here, else from the function's own file.

    FLASH_APP and FLASH_ENV count too: scripts for the public tool set them. Raises NoContextError.
    """
    app = os.environ.get("SVC_APP") or os.environ.get("FLASH_APP")
    environment = os.environ.get("SVC_ENV") or os.environ.get("FLASH_ENV") or DEFAULT_ENVIRONMENT
    if not app:
        folder = find_project(Path.cwd()) or (find_project(Path(source_file).parent) if source_file else None)
        if folder is None:
            raise NoContextError(endpoint)
        app = folder.name
    return Context(app, environment)


def find_project(start: Path) -> Path | None:
    """The nearest folder with `.svc/` or `pyproject.toml`, from `start` upward."""
    start = start.resolve()
    return next(
        (folder for folder in (start, *start.parents) if any((folder / mark).exists() for mark in _MARKS)), None
    )


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
    """Where a manifest may be: SVC_MANIFEST alone, else here, at or above the code (a worker), in .svc (a script)."""
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
