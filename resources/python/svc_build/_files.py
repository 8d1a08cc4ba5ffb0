"""Which files of a project go into the build, by the rules of left_out.json and of the project's ignore files.

Source: docs/spec/app-deploy.md, 4.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from svc_build._gitignore import Pattern, parse_pattern
from svc_build._problems import Problems

# A folder with more credentials is named instead of its files.
_NAMED_FILES = 20
_GROUPS: dict[str, Any] = json.loads(Path(__file__).with_name("left_out.json").read_text("utf-8"))


def _patterns(*groups: str, ignore_case: bool = False) -> list[Pattern]:
    parsed = [parse_pattern(text, group, 0, ignore_case) for group in groups for text in _GROUPS[group]]
    return [pattern for pattern in parsed if pattern is not None]


_CREDENTIALS = "credentials"
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
_CREDENTIAL_FILES = _patterns(_CREDENTIALS, ignore_case=True)
_NEVER = _BuiltIn([*_TOOLS, *_patterns("aboutBuilds"), *_CREDENTIAL_FILES])
# A link with another name must not pack these.
_PRIVATE = _BuiltIn([*_TOOLS, *_CREDENTIAL_FILES])
# Names of the files by which a data folder of a service is known.
_DATA_FOLDER: list[str] = _GROUPS["dataFolder"]


class _Layer:
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


class ProjectFiles:
    """The files below `root`, as relative paths with forward slashes, sorted. `ignored` counts what is left out.

    A file that is a link is one of them if it leads into the project or into one of the folders `allow_links_to`.
    """

    def __init__(self, root: str, problems: Problems, allow_links_to: Iterable[str] = ()) -> None:
        self.root = root
        self.ignored = 0
        self._problems = problems
        self._link_folders = [os.path.realpath(folder) for folder in (root, *allow_links_to)]
        self._defaults = _Layer("", _patterns(*DEFAULTS))
        self._runpodignore = _Layer("", self._patterns_of(".runpodignore"))
        self._gitignores: dict[str, _Layer] = {}
        self._withheld: list[str] = []
        self.files = sorted(self._walk(""))
        self.sources = [file for file in self.files if file.endswith(".py")]
        if self._withheld:
            problems.add("credentials-left-out", ".", 1, files=", ".join(sorted(self._withheld)))

    def why_ignored(self, path: str) -> Pattern | None:
        """The pattern that leaves out `path` or a folder above it; None: it is not left out."""
        parts = path.split("/")
        for depth in range(1, len(parts)):
            pattern = self._deciding("/".join(parts[:depth]), is_folder=True)
            if pattern is not None:
                return pattern
        return self._deciding(path, is_folder=os.path.isdir(os.path.join(self.root, path)))

    def ignored_sources(self, limit: int) -> Iterator[str]:
        """Python files that were left out, among the first `limit` entries, to explain why nothing was found."""
        skipped = {".git", ".svc", ".venv", "venv", "node_modules", "__pycache__", "site-packages"}
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(name for name in folders if name not in skipped)
            for name in sorted(names):
                limit -= 1
                if limit < 0:
                    return
                path = os.path.relpath(os.path.join(folder, name), self.root).replace(os.sep, "/")
                if name.endswith(".py") and self.why_ignored(path) is not None:
                    yield path

    def _walk(self, folder: str) -> Iterator[str]:
        with os.scandir(os.path.join(self.root, folder)) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        if {entry.name for entry in found}.issuperset(_DATA_FOLDER):
            self.ignored += 1
            if folder:
                self._withhold(folder)
            else:
                self._problems.add("project-is-data-folder", ".", 1, files=" and ".join(_DATA_FOLDER))
            return
        for entry in found:
            path = f"{folder}/{entry.name}" if folder else entry.name
            is_link = entry.is_symlink()
            # For a link to itself, `entry` would raise.
            is_folder = os.path.isdir(entry.path) if is_link else entry.is_dir()
            is_file = os.path.isfile(entry.path) if is_link else entry.is_file()
            pattern = self._deciding(path, is_folder)
            if pattern is None and is_folder and not is_link:
                yield from self._walk(path)
            elif pattern is None and is_file and (not is_link or self._may_follow(path)):
                yield path
            else:
                self.ignored += 1
                if pattern is not None and pattern.source == _CREDENTIALS:
                    self._withhold(path)
                elif pattern is None and is_folder:
                    # Following it could leave the project or run in circles.
                    self._problems.add("symlinked-folder", path, 1)

    def _withhold(self, path: str) -> None:
        """Note the files at or below `path` as left out, because they hold credentials."""
        place = os.path.join(self.root, path)
        if os.path.islink(place) or not os.path.isdir(place):
            self._withheld.append(path)
            return
        below = [os.path.join(folder, name) for folder, _, names in os.walk(place) for name in names]
        if len(below) > _NAMED_FILES:
            self._withheld.append(f"{path}/ ({len(below)} files)")
        else:
            self._withheld.extend(os.path.relpath(file, self.root).replace(os.sep, "/") for file in below)

    def _may_follow(self, path: str) -> bool:
        """Whether the file that the link `path` leads to may be packed under its name."""
        target = os.path.realpath(os.path.join(self.root, path))
        for folder in self._link_folders:
            if target.startswith(os.path.join(folder, "")):
                if not _leads_to_private(folder, os.path.relpath(target, folder).replace(os.sep, "/")):
                    return True
                self._withheld.append(path)
                return False
        self._problems.add("link-leads-out", path, 1, target=target, folder=os.path.dirname(target))
        return False

    def _deciding(self, path: str, is_folder: bool) -> Pattern | None:
        """The pattern that excludes this entry, ignoring the folders above."""
        if (never := _NEVER.first(path, is_folder)) is not None:
            return never
        decided = None
        for layer in (self._defaults, *self._layers_around(path), self._runpodignore):
            decided = layer.opinion(path, is_folder) or decided
        return None if decided is None or decided.negated else decided

    def _layers_around(self, path: str) -> Iterator[_Layer]:
        """The .gitignore files of the folders around `path`, the outermost first."""
        parts = path.split("/")
        for depth in range(len(parts)):
            folder = "/".join(parts[:depth])
            if folder not in self._gitignores:
                patterns = self._patterns_of(f"{folder}/.gitignore" if folder else ".gitignore")
                self._gitignores[folder] = _Layer(folder, patterns)
            yield self._gitignores[folder]

    def _patterns_of(self, file: str) -> list[Pattern]:
        path = os.path.join(self.root, file)
        try:
            # A pipe or a device has no end, and a link may lead to one.
            if os.path.islink(path) or not os.path.isfile(path):
                return []
            with open(path, "rb") as opened:
                text = opened.read().decode("utf-8", "surrogateescape").removeprefix("\ufeff")
        except OSError:
            return []
        lines = enumerate(text.split("\n"), 1)
        parsed = (parse_pattern(line.removesuffix("\r"), file, number) for number, line in lines)
        return [pattern for pattern in parsed if pattern is not None]


def _leads_to_private(folder: str, path: str) -> bool:
    """Whether `path` below `folder` is in a data folder, or holds credentials or a tool's own files."""
    parts = path.split("/")
    for depth in range(len(parts)):
        above = os.path.join(folder, *parts[:depth])
        if all(os.path.isfile(os.path.join(above, name)) for name in _DATA_FOLDER):
            return True
        if _PRIVATE.first("/".join(parts[: depth + 1]), is_folder=depth < len(parts) - 1) is not None:
            return True
    return False
