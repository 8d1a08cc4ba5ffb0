"""Which files of a project go into the build: all that its .gitignore files and the built-in patterns leave."""

from __future__ import annotations

import os
from collections.abc import Iterator

from svc_build._gitignore import Pattern, parse_pattern, parse_patterns
from svc_build._problems import Problems

# Source: docs/spec/app-deploy.md, 4.
_FROM_THE_SPEC = (
    ".git .svc .venv venv env __pycache__ build dist *.egg-info .env* tests test_*.py *_test.py docs node_modules"
)
# Source: ours. Old builds of the public tool hold copies of the source; the others are left behind by other tools.
_OURS = ".flash .build .runpod .gitignore *.py[cod] .mypy_cache .pytest_cache .ruff_cache .idea .vscode .DS_Store"
# What editors write beside a file while it is open: vim, Emacs and many others. A save must not count twice.
_EDITORS = ".*.sw[a-z] *~ \\#*# .#*"


def _built_in(patterns: str) -> list[Pattern]:
    parsed = [parse_pattern(text, "", 0) for text in patterns.split()]
    return [pattern for pattern in parsed if pattern is not None]


BUILT_IN = _built_in(f"{_FROM_THE_SPEC} {_OURS} {_EDITORS}")


class ProjectFiles:
    """The files below `root`, as relative paths with forward slashes, sorted. `ignored` counts what is left out."""

    def __init__(self, root: str, problems: Problems) -> None:
        self.root = root
        self.ignored = 0
        self._problems = problems
        self._rules: dict[str, list[Pattern]] = {}
        self.files = sorted(self._walk(""))
        self.sources = [file for file in self.files if file.endswith(".py")]

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
        for entry in found:
            path = f"{folder}/{entry.name}" if folder else entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if self._deciding(path, is_folder) is not None:
                self.ignored += 1
            elif is_folder:
                yield from self._walk(path)
            elif entry.is_symlink() and entry.is_dir():
                # Following it could leave the project or run in circles.
                self.ignored += 1
                self._problems.add("symlinked-folder", path, 1)
            elif entry.is_file():
                yield path
            else:
                self.ignored += 1

    def _deciding(self, path: str, is_folder: bool) -> Pattern | None:
        """The pattern by which this one entry is left out, not looking at the folders above."""
        name = path.rpartition("/")[2]
        for pattern in BUILT_IN:
            if pattern.matches(path, name, is_folder):
                return pattern
        folder = path.rpartition("/")[0]
        while True:
            below = path[len(folder) + 1 :] if folder else path
            for pattern in reversed(self._patterns_of(folder)):
                if pattern.matches(below, name, is_folder):
                    return None if pattern.negated else pattern
            if not folder:
                return None
            folder = folder.rpartition("/")[0]

    def _patterns_of(self, folder: str) -> list[Pattern]:
        if folder not in self._rules:
            file = f"{folder}/.gitignore" if folder else ".gitignore"
            self._rules[folder] = parse_patterns(self._text_of(file), file)
        return self._rules[folder]

    def _text_of(self, file: str) -> str:
        path = os.path.join(self.root, file)
        try:
            # A pipe or a device has no end, and a link in a project may lead to one.
            if not os.path.isfile(path):
                return ""
            with open(path, "rb") as opened:
                return opened.read().decode("utf-8", "surrogateescape")
        except OSError:
            return ""
