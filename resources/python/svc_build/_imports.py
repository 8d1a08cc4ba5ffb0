"""The imports of one module, also those in its functions, and calls that import by name."""

from __future__ import annotations

import ast
import bisect
import re
from collections.abc import Iterator
from typing import NamedTuple

from svc_build._project import Project
from svc_build._scope import FUNCTIONS, Scope, catches_imports, last_name
from svc_build._symbols import shown

# As Python counts lines.
_LINE_END = re.compile(rb"\r\n|\r|\n")


class ImportUse(NamedTuple):
    """`import module` or `from module import names`. `top`: runs when the file is imported; `guarded`: may fail."""

    module: str
    level: int
    names: tuple[str, ...]
    line: int
    top: bool
    guarded: bool
    statement: str


def imports_of(scope: Scope, text: bytes) -> tuple[list[ImportUse], list[tuple[str, int]]]:
    """In source order; and calls, with their lines, that import what is only known when they run.

    The steps leave out code that workers never run (`if TYPE_CHECKING:`, the main guard). `text` is that of the
    file: nodes on lines without "import" are skipped, which are most of them.
    """
    if scope.imports is None:
        collector = _Collector([number for number, line in enumerate(_LINE_END.split(text), 1) if b"import" in line])
        for step in scope.steps:
            collector.collect(step.node, True, step.guarded)
        scope.imports = (collector.uses, collector.dynamic)
    uses, dynamic = scope.imports
    return uses, dynamic


def modules_loaded(project: Project, name: str, names: tuple[str, ...]) -> Iterator[str]:
    """The modules that `from name import names` loads, with the packages around `name`, which is of the project."""
    parts = name.split(".")
    for depth in range(1, len(parts) + 1):
        yield ".".join(parts[:depth])
    for inner in names:
        if f"{name}.{inner}" in project.modules:
            yield f"{name}.{inner}"


class _Collector:
    def __init__(self, lines: list[int]) -> None:
        self._lines = lines
        self.uses: list[ImportUse] = []
        self.dynamic: list[tuple[str, int]] = []

    def collect(self, node: ast.AST, top: bool, guarded: bool) -> None:
        if self._has_no_import(node):
            return
        if isinstance(node, ast.Import):
            for alias in node.names:
                self.uses.append(ImportUse(alias.name, 0, (), node.lineno, top, guarded, shown(node)))
        elif isinstance(node, ast.ImportFrom):
            names = tuple(alias.name for alias in node.names)
            self.uses.append(ImportUse(node.module or "", node.level, names, node.lineno, top, guarded, shown(node)))
        else:
            if isinstance(node, ast.Call) and last_name(node.func) in ("import_module", "__import__"):
                self._by_name(node, top, guarded)
            top = top and not isinstance(node, (*FUNCTIONS, ast.Lambda))
            for name, value in ast.iter_fields(node):
                caught = name == "body" and any(map(catches_imports, getattr(node, "handlers", [])))
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        self.collect(child, top, guarded or caught)

    def _by_name(self, node: ast.Call, top: bool, guarded: bool) -> None:
        named = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
        if isinstance(named, str) and not named.startswith("."):
            self.uses.append(ImportUse(named, 0, (), node.lineno, top, guarded, shown(node)))
        else:
            self.dynamic.append((f"`{shown(node)}`", node.lineno))

    def _has_no_import(self, node: ast.AST) -> bool:
        """Searches nodes without a position (arguments, handlers' types)."""
        first, last = getattr(node, "lineno", None), getattr(node, "end_lineno", None)
        if first is None or last is None:
            return False
        at = bisect.bisect_left(self._lines, first)
        return at == len(self._lines) or self._lines[at] > last
