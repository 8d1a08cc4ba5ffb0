"""The project as modules: which file is which module, its text, and its parsed form when somebody asks for it."""

from __future__ import annotations

import ast
import os
import platform
import re
import sys
import warnings
from collections.abc import Iterable
from dataclasses import dataclass

from svc_build._catalog import APP_PACKAGE, DECORATOR_MODULES
from svc_build._files import ProjectFiles
from svc_build._problems import Problems
from svc_build._scope import Import, Scope

_WORDS = re.compile(rb"\b(?:" + "|".join(DECORATOR_MODULES).encode() + rb")\b")
_APP_WORDS = re.compile(rb"\b" + APP_PACKAGE.encode() + rb"\b")
_IMPORT = re.compile(
    rb"^[ \t]*((?:from|import)[ \t]+(?:" + "|".join(DECORATOR_MODULES).encode() + rb")\b)", re.MULTILINE
)


@dataclass(frozen=True)
class Located:
    """The target of an import. `kind`: project, sdk, external (also the standard library), missing; `name` is dotted.
    """

    kind: str
    name: str


class Project:
    """`modules` maps dotted names to files; `packages` are all folders with Python files, also without __init__.py."""

    def __init__(self, root: str, problems: Problems, allow_links_to: Iterable[str] = ()) -> None:
        self.root = root
        self.problems = problems
        self.files = ProjectFiles(root, problems, allow_links_to)
        self.modules = {module_name(file): file for file in self.files.sources}
        self.packages = {name.rpartition(".")[0] for name in self.modules}
        for name in list(self.packages):
            while name:
                self.packages.add(name)
                name = name.rpartition(".")[0]
        self.packages.discard("")
        self._texts: dict[str, bytes] = {}
        self._trees: dict[str, ast.Module | None] = {}
        # Filled by _names.py, which reads the blocks.
        self.scopes: dict[int, Scope] = {}

    def text(self, file: str) -> bytes:
        if file not in self._texts:
            try:
                with open(os.path.join(self.root, file), "rb") as opened:
                    self._texts[file] = opened.read()
            except OSError as error:
                self.problems.add("unreadable-file", file, 1, reason=error.strerror or str(error))
                self._texts[file] = b""
        return self._texts[file]

    def mentions_decorators(self, file: str) -> bool:
        """Whether the file can hold an endpoint without importing it from another project file."""
        return _WORDS.search(self.text(file)) is not None or self.mentions_app(file)

    def mentions_app(self, file: str) -> bool:
        """Whether the file can hold an `App(...)` of the package runpod 2.0."""
        text = self.text(file)
        return b"App" in text and _APP_WORDS.search(text) is not None

    def tree(self, file: str) -> ast.Module | None:
        """The parsed file; None where it is no Python, which is recorded as a problem once."""
        if file not in self._trees:
            self._trees[file] = self._parse(file)
        return self._trees[file]

    def is_python(self, file: str) -> bool:
        """Whether the file parses, without a problem recorded where it does not."""
        if file not in self._trees:
            try:
                self._trees[file] = _parsed(self.text(file), file)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return False
        return self._trees[file] is not None

    def _parse(self, file: str) -> ast.Module | None:
        try:
            return _parsed(self.text(file), file)
        except SyntaxError as error:
            line, reason = error.lineno or 1, error.msg
        except ValueError as error:  # null bytes
            line, reason = 1, str(error)
        except (RecursionError, MemoryError):
            line, reason = 1, "the code is nested too deeply"
        reason = reason[:1].upper() + reason[1:]
        self.problems.add("syntax-error", file, line, reason=reason, python=platform.python_version())
        return None

    def absolute(self, source: Import, module: str) -> str | None:
        """The dotted name of a relative import in `module`; None: it leads out of the project."""
        if source.level == 0:
            return source.module
        file = self.modules[module]
        parts = module.split(".") if file.endswith("/__init__.py") else module.split(".")[:-1]
        kept = len(parts) - (source.level - 1)
        if kept <= 0:
            return None
        return ".".join(parts[:kept] + ([source.module] if source.module else []))

    def locate(self, source: Import, module: str) -> Located:
        """The target of `source.module` (without its name) in the code of `module`."""
        name = self.absolute(source, module)
        if name is None:
            return Located("missing", "." * source.level + source.module)
        if self.has(name):
            return Located("project", name)
        if source.level > 0:
            return Located("missing", name)
        top = name.partition(".")[0]
        if top in DECORATOR_MODULES or top == APP_PACKAGE:
            return Located("sdk", name)
        # Files are often started from their own folder, where Python finds the neighbours. A worker looks there after
        # the root of the project.
        beside = ".".join([*module.split(".")[:-1], name])
        if beside != name and top not in sys.stdlib_module_names and self.has(beside):
            return Located("project", beside)
        return Located("external", name)

    def has(self, name: str) -> bool:
        """Whether a dotted name is a module or folder of the project."""
        return name in self.modules or name in self.packages


def _parsed(text: bytes, file: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an invalid escape in user code is not our output
        return ast.parse(text, file)


def imports_decorators(text: bytes) -> int | None:
    """The line of the first import of the package; None: there is none, or only in the middle of a line."""
    found = _IMPORT.search(text)
    return text.count(b"\n", 0, found.start(1)) + 1 if found is not None else None


def module_name(file: str) -> str:
    """The name for importlib.import_module, from the root of the project: "01_hello.gpu-worker"."""
    parts = file.removesuffix(".py").split("/")
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    return ".".join(parts)
