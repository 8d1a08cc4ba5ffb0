"""Which files of a project go into the build. Source: docs/spec/app-deploy.md, 4."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from svc_build._gitignore import Pattern, parse_patterns
from svc_build._left_out import CREDENTIALS, DATA_FOLDER, Layer, default_layer, is_private, never_packed
from svc_build._problems import Problems

# A folder with more credentials is named instead of its files.
_NAMED_FILES = 20


class ProjectFiles:
    """The files below `root`, as relative paths with forward slashes, sorted. `ignored` counts what is left out.

    A file that is a link is one of them if it leads into the project or into one of the folders `allow_links_to`.
    """

    def __init__(self, root: str, problems: Problems, allow_links_to: Iterable[str] = ()) -> None:
        self.root = root
        self.ignored = 0
        self._problems = problems
        self._link_folders = [os.path.realpath(folder) for folder in (root, *allow_links_to)]
        self._defaults = default_layer()
        self._runpodignore = Layer("", self._patterns_of(".runpodignore"))
        self._gitignores: dict[str, Layer] = {}
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
        """Python files that were left out, among the first `limit` entries: for the question why nothing was found."""
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
        if {entry.name for entry in found}.issuperset(DATA_FOLDER):
            self.ignored += 1
            if folder:
                self._withhold(folder)
            else:
                self._problems.add("project-is-data-folder", ".", 1, files=" and ".join(DATA_FOLDER))
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
                if pattern is not None and pattern.source == CREDENTIALS:
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
        """The pattern by which this one entry is left out, not looking at the folders above."""
        never = never_packed(path, is_folder)
        if never is not None:
            return never
        decided = None
        for layer in (self._defaults, *self._layers_around(path), self._runpodignore):
            decided = layer.opinion(path, is_folder) or decided
        return None if decided is None or decided.negated else decided

    def _layers_around(self, path: str) -> Iterator[Layer]:
        """The .gitignore files of the folders around `path`, the outermost first."""
        parts = path.split("/")
        for depth in range(len(parts)):
            folder = "/".join(parts[:depth])
            if folder not in self._gitignores:
                patterns = self._patterns_of(f"{folder}/.gitignore" if folder else ".gitignore")
                self._gitignores[folder] = Layer(folder, patterns)
            yield self._gitignores[folder]

    def _patterns_of(self, file: str) -> list[Pattern]:
        path = os.path.join(self.root, file)
        try:
            # A pipe or a device has no end, and a link may lead to one.
            if os.path.islink(path) or not os.path.isfile(path):
                return []
            with open(path, "rb") as opened:
                return parse_patterns(opened.read().decode("utf-8", "surrogateescape"), file)
        except OSError:
            return []


def _leads_to_private(folder: str, path: str) -> bool:
    """Whether `path` below `folder` is in a data folder, or holds credentials or a tool's own files."""
    parts = path.split("/")
    for depth in range(len(parts)):
        above = os.path.join(folder, *parts[:depth])
        if all(os.path.isfile(os.path.join(above, name)) for name in DATA_FOLDER):
            return True
        if is_private("/".join(parts[: depth + 1]), is_folder=depth < len(parts) - 1):
            return True
    return False
