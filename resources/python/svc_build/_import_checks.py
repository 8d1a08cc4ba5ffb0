"""Follows the imports from the files that hold endpoints: will a worker find what they name?"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator

from svc_build._catalog import OLDER_NAMES
from svc_build._endpoints import EndpointObject, EndpointTable
from svc_build._evaluate import Evaluator
from svc_build._files import DEFAULTS
from svc_build._gitignore import Pattern
from svc_build._imports import ImportUse, imports_of, modules_loaded
from svc_build._problems import Problems
from svc_build._project import Project
from svc_build._remote_calls import RemoteCalls
from svc_build._scope import Import, Scope
from svc_build._symbols import Definition, ProjectModule, Unresolved

# Part of every worker.
_PROVIDED = frozenset({"svc", "svc_worker", "runpod_flash", "__main__"})


class ImportChecker:
    """`endpoints` are those that are built."""

    def __init__(self, project: Project, table: EndpointTable, problems: Problems, calls: RemoteCalls) -> None:
        self._project = project
        self._table = table
        self._evaluator: Evaluator = table.evaluator
        self._problems = problems
        self._calls = calls
        # A worker finds files in these by their bare names.
        self._searched: set[str] = set()
        self._is_app = False

    def check(self, endpoints: list[EndpointObject]) -> None:
        # Handles of an App may be imported anywhere, and its artifact holds the packages of all its functions.
        self._is_app = any(endpoint.kind is not None for endpoint in endpoints)
        own: dict[str, set[EndpointObject]] = {}
        for endpoint in endpoints:
            for target in endpoint.targets + endpoint.routes:
                own.setdefault(target.module, set()).add(endpoint)
        self._searched = {module.rpartition(".")[0] for module in own}
        for module, held in sorted(own.items()) if not self._is_app else []:
            self._check_peers(module, held)
        # Imports at the top are loaded with the endpoint, the others when a function runs. The first kind goes first,
        # so that each module is read once.
        waiting = sorted({endpoint.module for endpoint in endpoints} | set(own))
        later: list[str] = []
        seen: set[str] = set()
        while waiting or later:
            top = bool(waiting)
            module = waiting.pop() if top else later.pop()
            if module not in seen:
                seen.add(module)
                for name, at_top in self._follow(module, top):
                    (waiting if at_top else later).append(name)

    def _follow(self, module: str, top: bool) -> Iterator[tuple[str, bool]]:
        scope = self._evaluator.module_scope(module)
        if scope is None:
            return
        uses, dynamic = imports_of(scope, self._project.text(scope.file))
        for call, line in dynamic:
            self._problems.add("dynamic-import", scope.file, line, call=call)
        for use in uses:
            for target in self._targets(use, module, scope, top):
                yield target, top and use.top

    def _targets(self, use: ImportUse, module: str, scope: Scope, top: bool) -> Iterator[str]:
        """The project modules that an import loads, with the packages around them."""
        place = self._project.locate(Import(use.module, use.level, None), module)
        dotted = self._project.absolute(Import(use.module, use.level, None), module)
        inner = [f"{dotted}.{name}" for name in use.names if name != "*"] if dotted is not None else []
        if place.kind == "project":
            inner = [f"{place.name}.{name}" for name in use.names if name != "*"]
            yield from modules_loaded(self._project, place.name, use.names)
        if place.kind != "sdk" and dotted is not None and self._report_ignored(use, module, scope, place.name, inner):
            return
        beside = place.kind == "project" and use.level == 0 and place.name != dotted
        if beside and not use.guarded and module.rpartition(".")[0] not in self._searched:
            data = {"statement": use.statement, "module": place.name}
            self._problems.add("neighbour-import", scope.file, use.line, **data)
        if place.kind == "missing":
            self._report_missing(use, scope, dotted)
        elif place.kind == "sdk" and place.name == "svc":
            for name in sorted(OLDER_NAMES.intersection(use.names)):
                self._problems.add("name-of-older-package", scope.file, use.line, name=name)
        elif place.kind == "project" and use.level > 0:
            self._report_absent_names(use, scope, place.name)
        elif place.kind in ("external", "sdk") and top and use.top and not use.guarded and not self._is_app:
            package = use.module.partition(".")[0]
            if package not in sys.stdlib_module_names and package not in _PROVIDED:
                self._problems.add("third-party-import", scope.file, use.line, package=package)

    def _report_ignored(self, use: ImportUse, module: str, scope: Scope, name: str, inner: list[str]) -> bool:
        """Whether the import names a file that is on the disk and left out of the build."""
        if use.level == 0 and name.partition(".")[0] in sys.stdlib_module_names:
            return False
        folder = module.rpartition(".")[0]
        for dotted in [name, *inner]:
            beside = f"{folder}.{dotted}" if folder and use.level == 0 else dotted
            for candidate in dict.fromkeys((dotted, beside)):
                file = self._on_disk(candidate)
                pattern = self._project.files.why_ignored(file) if file is not None else None
                if file is not None and pattern is not None:
                    way_out = _way_out_of(pattern, file)
                    code = "guarded-ignored-import" if use.guarded else "ignored-import"
                    data = {"importer": scope.file, "module": candidate, "ignored": file, "pattern": str(pattern)}
                    self._problems.add(code, scope.file, use.line, **data, way_out=way_out)
                    return True
        return False

    def _on_disk(self, dotted: str) -> str | None:
        """The file of a module that the project does not list."""
        if dotted in self._project.modules:
            return None
        path = dotted.replace(".", "/")
        for file in (f"{path}.py", f"{path}/__init__.py"):
            if os.path.isfile(os.path.join(self._project.root, file)):
                return file
        return None

    def _report_missing(self, use: ImportUse, scope: Scope, dotted: str | None) -> None:
        if use.guarded:
            return
        reason = (
            f"there is no {dotted.replace('.', '/')}.py in the project" if dotted else "it leads out of the project"
        )
        if dotted is None and "/" not in scope.file:
            reason = f"{scope.file} is at the top of the project and in no package"
        self._problems.add("unresolvable-relative-import", scope.file, use.line, statement=use.statement, reason=reason)

    def _report_absent_names(self, use: ImportUse, scope: Scope, package: str) -> None:
        """`from . import x` where the folder has neither x.py nor an __init__.py that could define x."""
        if package in self._project.modules:
            return
        for name in use.names:
            if name != "*" and not self._project.has(f"{package}.{name}") and not use.guarded:
                reason = f"there is no {package.replace('.', '/')}/{name}.py in the project"
                self._problems.add(
                    "unresolvable-relative-import", scope.file, use.line, statement=use.statement, reason=reason
                )

    def _check_peers(self, module: str, held: set[EndpointObject]) -> None:
        """Functions of other endpoints imported at the top of a file with endpoints."""
        scope = self._evaluator.module_scope(module)
        if scope is None:
            return
        for use in imports_of(scope, self._project.text(scope.file))[0]:
            if not use.top:
                continue
            for peer, owner in self._peers(use, module, self._project.text(scope.file)):
                if owner not in held:
                    data = {"function": peer.node.name, "name": owner.name}
                    self._problems.add("peer-import", scope.file, use.line, **data)

    def _peers(self, use: ImportUse, module: str, text: bytes) -> Iterator[tuple[Definition, EndpointObject]]:
        """The functions that an import brings; of a whole module those that `text` uses through it."""
        for name in use.names or (None,):
            try:
                symbol = self._evaluator.imported(Import(use.module, use.level, None if name == "*" else name), module)
            except Unresolved:
                continue
            found = [symbol] if isinstance(symbol, Definition) else []
            if isinstance(symbol, ProjectModule) and (name == "*" or not self._makes_endpoint(symbol.name)):
                found = self._definitions(symbol.name)
                if name != "*":
                    found = [one for one in found if re.search(rb"\.%s\b" % one.node.name.encode(), text)]
            for definition in found:
                owner = self._calls.owner(definition)
                if owner is not None:
                    yield definition, owner

    def _definitions(self, module: str) -> list[Definition]:
        """The decorated functions of a module."""
        scope = self._evaluator.module_scope(module)
        found = [
            Definition(scope, binding.node)  # type: ignore[arg-type]  # of this kind, the node is a definition
            for bindings in (scope.names.values() if scope is not None else ())
            for binding in bindings
            if binding.kind == "definition" and scope is not None
        ]
        return [definition for definition in found if self._calls.owner(definition) is not None]

    def _makes_endpoint(self, module: str) -> bool:
        """Whether a module has an object that other files may decorate with."""
        offered = [endpoint for endpoint in self._table.objects if endpoint.module == module and endpoint.variable]
        return any(endpoint.client_mode is None for endpoint in offered)


def _way_out_of(pattern: Pattern, file: str) -> str:
    if pattern.line:
        return f"Change that line, or move {file}."
    if pattern.source in DEFAULTS:
        return f"Bring it back by the line `!{pattern.text}` in .runpodignore, or move it out of there."
    return "Move it out of there or rename it."
