"""Which files of the project the code of an endpoint can load, so that a build can tell whom a changed file concerns.

More files than it really loads do no harm: somebody waits for a worker that has not changed. So what may be loaded
counts as loaded, and where code loads what only it knows, the answer is that nobody knows.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

from svc_build._endpoints import EndpointObject
from svc_build._evaluate import Evaluator
from svc_build._imports import ImportUse, imports_of, modules_loaded
from svc_build._project import Project
from svc_build._scope import Import

# Modules that load code by a path or a name.
_LOADERS = frozenset(
    {"code", "imp", "importlib.abc", "importlib.machinery", "importlib.util", "pkgutil", "runpy", "zipimport"}
)
# Calls of the builtins, not of methods with their names, like re.compile.
_RUNS_TEXT = re.compile(rb"(?<![.\w])(?:exec|eval|compile|execfile)\s*\(|\bimportlib\.(?:abc|machinery|util)\b")
# A text that names a file with code, or makes Python run a module.
_NAMES_CODE = re.compile(r"\.py[cw]?\b|(?:^|\s)-m(?:\s|$)")


class Sources:
    """Answers for one project, each module being read once."""

    def __init__(self, project: Project, evaluator: Evaluator) -> None:
        self._project = project
        self._evaluator = evaluator
        self._loads: dict[str, frozenset[str] | None] = {}
        self._hashes: dict[str, str] = {}
        # By the first part of a bare name: the folders that have it. Workers look in those that hold endpoints.
        self._folders: dict[str, set[str]] = {}
        for module in project.modules:
            parts = module.split(".")
            for at in range(1, len(parts)):
                self._folders.setdefault(parts[at], set()).add(".".join(parts[:at]))

    def of(self, endpoint: EndpointObject, described: dict[str, Any]) -> dict[str, Any] | None:
        """The files, sorted, and a hash of them and of what else makes a worker; None: not known."""
        own = {endpoint.module, *(target.module for target in endpoint.targets + endpoint.routes)}
        waiting = [name for module in own for name in modules_loaded(self._project, module, ())]
        seen: set[str] = set()
        while waiting:
            module = waiting.pop()
            if module in seen:
                continue
            seen.add(module)
            if module not in self._loads:
                self._loads[module] = self._read(module)
            loaded = self._loads[module]
            if loaded is None:
                return None
            waiting.extend(loaded)
        modules = self._project.modules
        files = sorted(modules[module] for module in seen if module in modules)
        hashed = hashlib.sha256(json.dumps(described, sort_keys=True).encode())
        for file in files:
            # Each content is hashed once, however many endpoints may load it.
            if file not in self._hashes:
                self._hashes[file] = hashlib.sha256(self._project.text(file)).hexdigest()
            hashed.update(f"\n{self._hashes[file]} {file}".encode())
        return {"files": files, "sha256": hashed.hexdigest()}

    def _read(self, module: str) -> frozenset[str] | None:
        """The modules that a module names; None: it may load others. Nothing of what is no Python: it does not load."""
        file = self._project.modules.get(module)
        if file is None or not self._project.is_python(file):
            return frozenset()
        text = self._project.text(file)
        scope = self._evaluator.module_scope(module)
        if scope is None or _RUNS_TEXT.search(text) or _names_code(scope.block, text):
            return None
        uses, dynamic = imports_of(scope, text)
        if dynamic or any(
            _LOADERS.intersection([use.module, *(f"{use.module}.{name}" for name in use.names)]) for use in uses
        ):
            return None
        return frozenset(name for use in uses for name in self._targets(use, module))

    def _targets(self, use: ImportUse, module: str) -> Iterator[str]:
        place = self._project.locate(Import(use.module, use.level, None), module)
        names = {place.name} if place.kind == "project" else set()
        if use.level == 0:
            names.update(f"{folder}.{use.module}" for folder in self._folders.get(use.module.partition(".")[0], ()))
        for name in names:
            yield from modules_loaded(self._project, name, use.names)
            # `*` may import modules that a list in the package names.
            if "*" in use.names:
                yield from (inner for inner in self._project.modules if inner.startswith(f"{name}."))


def _names_code(tree: ast.AST, text: bytes) -> bool:
    """Whether a text in the code, other than a docstring, names code."""
    if b".py" not in text and b"-m" not in text:
        return False
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return any(
        isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in docs
        and _NAMES_CODE.search(node.value) is not None
        for node in ast.walk(tree)
    )
