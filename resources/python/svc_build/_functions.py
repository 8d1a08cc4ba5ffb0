"""A function or class of the source as the document describes it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from svc_build._scope import FUNCTIONS, Function

_HIDING = ("property", "cached_property")


def describe(node: Function | ast.ClassDef, methods: list[Function]) -> dict[str, Any]:
    """All that the definition itself tells. `methods` are the public ones of a class, also inherited."""
    if isinstance(node, ast.ClassDef):
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
        }
    return {**_callable(node, without_self=False), "isClass": False, "methods": []}


def own_methods(node: ast.ClassDef) -> dict[str, Function]:
    """The methods written in this class, in source order, also private ones; of two with one name the last."""
    found: dict[str, Function] = {}
    for statement in node.body:
        if isinstance(statement, FUNCTIONS) and not _is_property(statement):
            found[statement.name] = statement
    return found


def parameters(node: Function, without_self: bool = False) -> list[dict[str, Any]]:
    """The parameters in order, in the words of `inspect`."""
    arguments = node.args
    plain = arguments.posonlyargs + arguments.args
    with_default = len(plain) - len(arguments.defaults)
    static = any(_last_name(decorator) == "staticmethod" for decorator in node.decorator_list)
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
        "parameters": parameters(node, without_self),
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


def _is_property(node: Function) -> bool:
    return any(_last_name(decorator) in (*_HIDING, "setter", "deleter") for decorator in node.decorator_list)


def _last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
