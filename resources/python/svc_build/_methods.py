"""The methods of a class of the project, with those that it inherits from other classes of the project."""

from __future__ import annotations

import ast

from svc_build._functions import own_methods
from svc_build._names import Names
from svc_build._scope import Scope
from svc_build._symbols import Definition, Unresolved

# Longer chains of base classes go in a circle.
_DEEPEST = 20


def every_method(names: Names, node: ast.ClassDef, scope: Scope, depth: int = 0) -> dict[str, Definition]:
    """By name, with the scope of the class that has it; its own first, as `svc` lists them."""
    inside = names.inner_scope(node, scope)
    found = {name: Definition(inside, method) for name, method in own_methods(node).items()}
    for base in node.bases if depth < _DEEPEST else []:
        try:
            symbol = names.lookup(scope, base)
        except Unresolved:
            continue
        if isinstance(symbol, Definition) and isinstance(symbol.node, ast.ClassDef):
            for name, method in every_method(names, symbol.node, symbol.scope, depth + 1).items():
                found.setdefault(name, method)
    return found
