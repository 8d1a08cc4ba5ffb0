"""Walks code together with the scope in which each node is read."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from svc_build._names import Names
from svc_build._scope import FUNCTIONS, Scope


class Seen(NamedTuple):
    node: ast.AST
    scope: Scope
    order: int | None


def module_nodes(names: Names, scope: Scope) -> Iterator[Seen]:
    """Every node that a module runs when it is imported, and everything in its functions and classes."""
    for step in scope.steps:
        yield from inner_nodes(names, step.node, scope, step.order)


def inner_nodes(names: Names, node: ast.AST, scope: Scope, order: int | None) -> Iterator[Seen]:
    """`node` and all below it; the body of a function has a scope of its own and runs later."""
    yield Seen(node, scope, order)
    body: list[ast.AST] = []
    if isinstance(node, (*FUNCTIONS, ast.Lambda)):
        body = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
        inner = names.inner_scope(node, scope)
        for child in body:
            yield from inner_nodes(names, child, inner, None)
    own = set(map(id, body))
    for child in ast.iter_child_nodes(node):
        if id(child) not in own:
            yield from inner_nodes(names, child, scope, order)
