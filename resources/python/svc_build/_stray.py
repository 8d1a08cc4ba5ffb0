"""Endpoints inside of functions and classes, which a worker cannot import: said where they look like real ones."""

from __future__ import annotations

import ast

from svc_build._endpoints import EndpointTable
from svc_build._problems import Problems
from svc_build._scope import Scope
from svc_build._symbols import Unresolved

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def report_stray(table: EndpointTable, problems: Problems, scope: Scope) -> None:
    """An error for a decorated inner function, a warning for a call that is no client of an existing endpoint."""
    for step in scope.steps:
        if isinstance(step.node, _FUNCTIONS):
            inner = table.evaluator.inner_scope(step.node, scope)
            for statement in step.node.body:
                _report(table, problems, inner, statement, step.node.name)
        elif isinstance(step.node, ast.ClassDef):
            for statement in step.node.body:
                _report(table, problems, scope, statement, step.node.name)


def _report(table: EndpointTable, problems: Problems, scope: Scope, statement: ast.stmt, inside: str) -> None:
    decorators: set[int] = set()
    for node in ast.walk(statement):
        if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
            for decorator in node.decorator_list:
                if _decorates(table, scope, decorator):
                    decorators.add(id(decorator))
                    problems.add("nested-function", scope.file, decorator.lineno, function=node.name, inside=inside)
    for node in ast.walk(statement):
        if isinstance(node, ast.Call) and id(node) not in decorators:
            is_client = any(word.arg == "id" for word in node.keywords)
            if not is_client and table.sdk_name(scope, node.func, None) == "Endpoint":
                problems.add("endpoint-in-function", scope.file, node.lineno, inside=inside)


def _decorates(table: EndpointTable, scope: Scope, decorator: ast.expr) -> bool:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    if table.sdk_name(scope, called, None) == "Endpoint":
        return True
    if isinstance(called, ast.Attribute) and table.is_app(scope, called.value, None):
        return True
    try:
        return table.call_of(scope, called.value if isinstance(called, ast.Attribute) else called, None) is not None
    except Unresolved:
        return False
