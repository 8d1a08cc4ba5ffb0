"""The rules for files that are left out: those of left_out.json, and those in ignore files of a project."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from svc_build._gitignore import Pattern, parse_pattern

_GROUPS: dict[str, Any] = json.loads(Path(__file__).with_name("left_out.json").read_text("utf-8"))


def _patterns(*groups: str, ignore_case: bool = False) -> list[Pattern]:
    parsed = [parse_pattern(text, group, 0, ignore_case) for group in groups for text in _GROUPS[group]]
    return [pattern for pattern in parsed if pattern is not None]


CREDENTIALS = "credentials"
# Sources of the patterns that a project may take back.
DEFAULTS = ("environments", "defaults")


class _BuiltIn:
    """Patterns that no project changes."""

    def __init__(self, patterns: list[Pattern]) -> None:
        self._patterns = patterns
        self._anchored = [pattern for pattern in patterns if pattern.anchored]
        # One expression for all names, since a scan asks about each file and nearly none of them matches.
        names = "|".join(f"(?:{pattern.regex.pattern})" for pattern in patterns if not pattern.anchored)
        self._names = re.compile(names, re.DOTALL | re.IGNORECASE)

    def first(self, path: str, is_folder: bool) -> Pattern | None:
        """The first pattern that matches."""
        name = path.rpartition("/")[2]
        candidates = self._patterns if self._names.fullmatch(name) else self._anchored
        return next((pattern for pattern in candidates if pattern.matches(path, name, is_folder)), None)


_TOOLS = _patterns("tools")
_CREDENTIALS = _patterns(CREDENTIALS, ignore_case=True)
_NEVER = _BuiltIn([*_TOOLS, *_patterns("aboutBuilds"), *_CREDENTIALS])
# A link with another name must not pack these.
_PRIVATE = _BuiltIn([*_TOOLS, *_CREDENTIALS])
# Names of the files by which a data folder of a service is known.
DATA_FOLDER: list[str] = _GROUPS["dataFolder"]


class Layer:
    """The patterns of one ignore file, for everything below `folder`."""

    def __init__(self, folder: str, patterns: list[Pattern]) -> None:
        self._folder = folder
        self._patterns = patterns
        self._of_folders: dict[str, Pattern | None] = {folder: None}

    def opinion(self, path: str, is_folder: bool) -> Pattern | None:
        """The last pattern that matches `path`; without one, the last that matches the nearest folder above it."""
        if path in self._of_folders:
            return self._of_folders[path]
        folder, _, name = path.rpartition("/")
        below = path[len(self._folder) + 1 :] if self._folder else path
        matching = (pattern for pattern in reversed(self._patterns) if pattern.matches(below, name, is_folder))
        found = next(matching, None) or self.opinion(folder, is_folder=True)
        if is_folder:
            self._of_folders[path] = found
        return found


def default_layer() -> Layer:
    """The built-in patterns that a project may take back."""
    return Layer("", _patterns(*DEFAULTS))


def never_packed(path: str, is_folder: bool) -> Pattern | None:
    """The built-in pattern, if any, that leaves out `path` whatever a project says."""
    return _NEVER.first(path, is_folder)


def is_private(path: str, is_folder: bool) -> bool:
    """Whether `path` itself holds credentials or belongs to a tool."""
    return _PRIVATE.first(path, is_folder) is not None
