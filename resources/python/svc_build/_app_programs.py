"""Programs of the package `runpod` 2.0, which declare what they deploy with `App`. Its own tools build them."""

from __future__ import annotations

import ast
from typing import NamedTuple

from svc_build._project import Project

# Where the package has the class. source: the package, runpod/__init__.py and runpod/apps/app.py.
_MODULES = ("runpod", "runpod.apps", "runpod.apps.app")


class AppProgram(NamedTuple):
    """The call of `App` that comes first."""

    file: str
    line: int


def find_app_program(project: Project) -> AppProgram | None:
    """Looks through the sources without running them; None where no file calls `App`."""
    for file in project.files.sources:
        text = project.text(file)
        if b"runpod" not in text or b"App" not in text or not project.is_python(file):
            continue
        lines = _calls_of_app(project.tree(file))
        if lines:
            return AppProgram(file, min(lines))
    return None


def _calls_of_app(tree: ast.Module | None) -> list[int]:
    if tree is None:
        return []
    modules: set[str] = set()
    classes: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules.update(alias.asname or alias.name for alias in node.names if alias.name in _MODULES)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module in _MODULES:
            classes.update(alias.asname or alias.name for alias in node.names if alias.name == "App")
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _names_app(node.func, modules, classes)
    ]


def _names_app(called: ast.expr, modules: set[str], classes: set[str]) -> bool:
    if isinstance(called, ast.Name):
        return called.id in classes
    return isinstance(called, ast.Attribute) and called.attr == "App" and ast.unparse(called.value) in modules
