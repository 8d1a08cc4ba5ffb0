"""The arguments with which the source makes a decorated class: a worker makes it once, with the same.

They are only a help: a call that was made through an instance brings its arguments along. So what is not known here is
a warning and no error.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

from svc_build._endpoints import Target
from svc_build._evaluate import Evaluator
from svc_build._functions import parameters
from svc_build._problems import Problems
from svc_build._project import Project
from svc_build._scope import Function, Scope
from svc_build._settings import plain
from svc_build._symbols import Definition, Invalid, Unresolved
from svc_build._walk import Seen, module_nodes

_NAMED = ("positional-only", "positional-or-keyword", "keyword-only")


class ConstructorFinder:
    """`scopes` are the modules that were read; those that do not import the class cannot make it."""

    def __init__(self, project: Project, evaluator: Evaluator, problems: Problems, scopes: Iterable[Scope]) -> None:
        self._project = project
        self._evaluator = evaluator
        self._problems = problems
        self._scopes = list(scopes)

    def constructor(self, target: Target, node: ast.ClassDef, init: Function | None) -> dict[str, Any]:
        """`{"args": [], "kwargs": {...}}`; empty where the source never makes it or gives nothing."""
        wanted = parameters(init, without_self=True) if init is not None else []
        first: tuple[dict[str, Any], Seen] | None = None
        calls = list(self._calls_of(node))
        for seen in calls:
            made = self._arguments(node, seen, [p["name"] for p in wanted if p["kind"] in _NAMED[:2]])
            if made is not None and first is not None and made != first[0]:
                place = {"other_file": first[1].scope.file, "other_line": _line(first[1])}
                self._problems.add("constructor-conflict", seen.scope.file, _line(seen), function=node.name, **place)
            if made is not None and first is None:
                first = made, seen
        needed = [p["name"] for p in wanted if not p["hasDefault"] and p["kind"] in _NAMED]
        if needed and not calls and init is not None:
            data = {"function": node.name, "parameters": " and ".join(needed)}
            self._problems.add("constructor-arguments-missing", target.file, init.lineno, **data)
        return {"args": [], "kwargs": first[0] if first is not None else {}}

    def _calls_of(self, node: ast.ClassDef) -> Iterable[Seen]:
        word = node.name.encode()
        for scope in self._scopes:
            if word not in self._project.text(scope.file):
                continue
            for seen in module_nodes(self._evaluator, scope):
                if isinstance(seen.node, ast.Call) and isinstance(seen.node.func, (ast.Name, ast.Attribute)):
                    try:
                        called = self._evaluator.lookup(seen.scope, seen.node.func, seen.order)
                    except Unresolved:
                        continue
                    if isinstance(called, Definition) and called.node is node:
                        yield seen

    def _arguments(self, node: ast.ClassDef, seen: Seen, names: list[str]) -> dict[str, Any] | None:
        """By parameter; None: one of them is not known."""
        assert isinstance(seen.node, ast.Call)
        given = [(names[at] if at < len(names) else "*", value) for at, value in enumerate(seen.node.args)]
        given += [(word.arg or "**", word.value) for word in seen.node.keywords]
        made: dict[str, Any] = {}
        for name, value in given:
            try:
                if isinstance(value, ast.Starred) or name in ("*", "**"):
                    raise Unresolved("arguments with a star are not read")
                made[name] = plain(self._evaluator.evaluate(seen.scope, value, seen.order))
            except (Unresolved, Invalid) as reason:
                data = {"parameter": name, "function": node.name, "reason": reason}
                self._problems.add("constructor-unknown", seen.scope.file, _line(seen), **data)
                return None
        return made


def _line(seen: Seen) -> int:
    return getattr(seen.node, "lineno", 1)
