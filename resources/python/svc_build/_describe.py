"""A function or class of the source as the document describes it, with what only the project tells of it.

Of a decorated class: its inherited methods, and the arguments with which the source makes it; a worker makes it once,
with the same. They are only a help: a call that was made through an instance brings its arguments along. So what is not
known here is a warning and no error.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from svc_build._endpoints import Target
from svc_build._evaluate import Evaluator
from svc_build._names import Seen
from svc_build._problems import Problems
from svc_build._project import Project
from svc_build._scope import FUNCTIONS, Function, Scope, last_name
from svc_build._settings import plain
from svc_build._symbols import Definition, Invalid, Unresolved

_NAMED = ("positional-only", "positional-or-keyword", "keyword-only")


class Describer:
    """`scopes` are the modules that were read; those that do not import a class cannot make it."""

    def __init__(self, project: Project, evaluator: Evaluator, problems: Problems, scopes: Iterable[Scope]) -> None:
        self._project = project
        self._evaluator = evaluator
        self._problems = problems
        self._scopes = list(scopes)

    def function(self, target: Target) -> dict[str, Any]:
        node = target.node
        place = {
            "module": target.module,
            "file": target.file,
            "httpMethod": target.method,
            "httpPath": target.path,
        }
        if not isinstance(node, ast.ClassDef):
            return {**_callable(node, without_self=target.of_class), "isClass": False, "methods": [], **place}
        scope = self._evaluator.module_scope(target.module)
        found = self._evaluator.methods(node, scope) if scope is not None else {}
        every = {name: method.node for name, method in found.items() if not isinstance(method.node, ast.ClassDef)}
        methods = [method for name, method in every.items() if not name.startswith("_")]
        if not methods:
            self._problems.add("class-without-methods", target.file, node.lineno, function=node.name)
        return {
            "name": node.name,
            "line": node.lineno,
            "isAsync": False,
            "isGenerator": False,
            "isClass": True,
            "methods": [method.name for method in methods],
            "methodDetails": [_callable(method, without_self=True) for method in methods],
            "parameters": [],
            "doc": _first_line(node),
            **place,
            "constructor": self._constructor(target, node, every.get("__init__")),
        }

    def _constructor(self, target: Target, node: ast.ClassDef, init: Function | None) -> dict[str, Any]:
        """`{"args": [], "kwargs": {...}}`; empty where the source never makes it or gives nothing."""
        wanted = _parameters(init, without_self=True) if init is not None else []
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
            for seen in (seen for step in scope.steps for seen in self._evaluator.nodes(step.node, scope, step.order)):
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


def _parameters(node: Function, without_self: bool) -> list[dict[str, Any]]:
    """The parameters in order, in the words of `inspect`."""
    arguments = node.args
    plain = arguments.posonlyargs + arguments.args
    with_default = len(plain) - len(arguments.defaults)
    static = any(last_name(decorator) == "staticmethod" for decorator in node.decorator_list)
    found = []
    for position, argument in enumerate(plain):
        kind = "positional-only" if position < len(arguments.posonlyargs) else "positional-or-keyword"
        found.append(_parameter(argument, kind, position >= with_default))
    if without_self and not static:
        found = found[1:]
    if arguments.vararg is not None:
        found.append(_parameter(arguments.vararg, "var-positional", False))
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults):
        found.append(_parameter(argument, "keyword-only", default is not None))
    if arguments.kwarg is not None:
        found.append(_parameter(arguments.kwarg, "var-keyword", False))
    return found


def _callable(node: Function, without_self: bool) -> dict[str, Any]:
    return {
        "name": node.name,
        "line": node.lineno,
        "isAsync": isinstance(node, ast.AsyncFunctionDef),
        "isGenerator": any(isinstance(inner, (ast.Yield, ast.YieldFrom)) for inner in _own_nodes(node)),
        "parameters": _parameters(node, without_self),
        "doc": _first_line(node),
    }


def _parameter(argument: ast.arg, kind: str, has_default: bool) -> dict[str, Any]:
    annotation = ast.unparse(argument.annotation) if argument.annotation is not None else None
    return {"name": argument.arg, "kind": kind, "hasDefault": has_default, "annotation": annotation}


def _own_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a body without those of functions and classes in it."""
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (*FUNCTIONS, ast.ClassDef, ast.Lambda)):
            yield child
            yield from _own_nodes(child)


def _first_line(node: Function | ast.ClassDef) -> str | None:
    text = ast.get_docstring(node)
    return text.strip().split("\n")[0].strip() if text and text.strip() else None


def _line(seen: Seen) -> int:
    return getattr(seen.node, "lineno", 1)
