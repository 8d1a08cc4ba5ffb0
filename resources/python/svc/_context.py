"""In which app and environment a call is made."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from svc._errors import NoContextError

# What `drydock deploy` makes when there is none. source: docs/spec/app-deploy.md, 7.
DEFAULT_ENVIRONMENT = "production"
_MARKS = (".svc", "pyproject.toml")


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
