"""Reads the top level of a module: which functions are decorated with which endpoint, and which calls stand alone."""

from __future__ import annotations

import ast

from svc_build._app_resources import AppReader
from svc_build._catalog import OLDER_RESOURCES, RESERVED_PATHS, ROUTE_METHODS
from svc_build._endpoints import EndpointCall, EndpointObject, EndpointTable, Target
from svc_build._older_api import argument, route_call, shared_arguments
from svc_build._problems import Problems
from svc_build._scope import FUNCTIONS, Function, Scope, Step
from svc_build._symbols import SdkName, Unresolved, Value, shown

_DEFINITIONS = (*FUNCTIONS, ast.ClassDef)


class DecoratorReader:
    """Fills the targets and routes of the endpoints in `table`; what an App has is read by `apps`."""

    def __init__(self, table: EndpointTable, apps: AppReader, problems: Problems) -> None:
        self._table = table
        self._apps = apps
        self._problems = problems

    def read(self, scope: Scope) -> None:
        for step in scope.steps:
            if isinstance(step.node, _DEFINITIONS):
                for decorator in step.node.decorator_list:
                    self._decorator(scope, step, step.node, decorator)
                for base in getattr(step.node, "bases", []):
                    self._uses(scope, step, base, set())
            elif not isinstance(step.node, (ast.Import, ast.ImportFrom)):
                self._calls(scope, step)
        for step in scope.steps:
            if isinstance(step.node, _DEFINITIONS):
                is_class = isinstance(step.node, ast.ClassDef)
                inner = scope if is_class else self._table.evaluator.inner_scope(step.node, scope)
                for statement in step.node.body:
                    self._stray(inner, statement, step.node.name)

    def _decorator(self, scope: Scope, step: Step, node: Function | ast.ClassDef, decorator: ast.expr) -> None:
        if self._apps.read_decorator(scope, step, node, decorator):
            return
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = self._table.sdk_name(scope, called, step.order)
        try:
            if name == "Endpoint" and called is decorator:
                self._without_call(scope, decorator, node, 'name="..."')
            elif name == "remote":
                self._older(scope, step, node, decorator)
            elif (found := self._table.object_of(scope, decorator, step.order)) is not None:
                if not self._is_client(found, scope, node, decorator):
                    found.targets.append(Target(node, scope.file, scope.module, decorator.lineno))
            elif isinstance(called, ast.Attribute):
                owner = self._table.object_of(scope, called.value, step.order)
                if owner is not None:
                    self._route(owner, scope, step, node, decorator, called)
        except Unresolved as reason:
            if self._may_be_endpoint(scope, called):
                expression = f"`{shown(decorator)}`"
                self._problems.add(
                    "ambiguous-endpoint", scope.file, decorator.lineno, expression=expression, reason=reason
                )

    def _route(
        self,
        found: EndpointObject,
        scope: Scope,
        step: Step,
        node: Function | ast.ClassDef,
        decorator: ast.expr,
        called: ast.Attribute,
    ) -> None:
        line = decorator.lineno
        if called.attr not in ROUTE_METHODS:
            allowed = ", ".join(f"@{shown(called.value)}.{name}(path)" for name in ROUTE_METHODS)
            self._problems.add("unknown-route-method", scope.file, line, decorator=f"@{shown(called)}", allowed=allowed)
        elif not isinstance(decorator, ast.Call):
            self._without_call(scope, decorator, node, '"/path"')
        elif isinstance(node, ast.ClassDef):
            self._problems.add("class-with-route", scope.file, line, function=node.name)
        elif not self._is_client(found, scope, node, decorator):
            path = self._table.path_of(scope, decorator, step.order, f"a route of {found.what}")
            if path in RESERVED_PATHS:
                self._problems.add("reserved-path", scope.file, line, path=path, function=node.name)
            elif path is not None:
                found.routes.append(Target(node, scope.file, scope.module, line, called.attr.upper(), path))

    def _older(self, scope: Scope, step: Step, node: Function | ast.ClassDef, decorator: ast.expr) -> None:
        """`@remote(resource, dependencies=[...])`, and with method= and path= for a load-balanced resource."""
        resource = argument(decorator, "resource_config") if isinstance(decorator, ast.Call) else None
        local = argument(decorator, "local") if isinstance(decorator, ast.Call) else None
        if local is not None and self._table.evaluator.truth(scope, local, step.order):
            return
        call = self._table.call_of(scope, resource, step.order) if resource is not None else None
        if call is None or not isinstance(decorator, ast.Call):
            data = {"shown": f"@{shown(decorator)}", "example": "@remote(resource_config=LiveServerless(name=...))"}
            self._problems.add("older-decorator", scope.file, decorator.lineno, function=node.name, **data)
            return
        found = self._table.made(call)
        self._table.add_settings(found, shared_arguments(decorator), scope, step.order)
        if call.resource is None or not OLDER_RESOURCES[call.resource].is_load_balanced:
            found.targets.append(Target(node, scope.file, scope.module, decorator.lineno))
            return
        method, path = argument(decorator, "method"), argument(decorator, "path")
        name = self._table.evaluator.evaluate(scope, method, step.order) if method is not None else None
        if path is None or not isinstance(name, str) or name.lower() not in ROUTE_METHODS:
            data = {"shown": f"@{shown(decorator)}", "example": '@remote(resource, method="POST", path="/path")'}
            self._problems.add("older-decorator", scope.file, decorator.lineno, function=node.name, **data)
            return
        called = ast.copy_location(ast.Attribute(decorator.func, name.lower(), ast.Load()), decorator)
        self._route(found, scope, step, node, route_call(decorator, path), called)

    def _stray(self, scope: Scope, statement: ast.stmt, inside: str) -> None:
        """Endpoints in a function or class, which a worker cannot import.

        An error for a decorated inner function, a warning for a call that is no client of an existing endpoint.
        """
        decorators: set[int] = set()
        for node in ast.walk(statement):
            if isinstance(node, _DEFINITIONS):
                for decorator in (one for one in node.decorator_list if self._decorates(scope, one)):
                    decorators.add(id(decorator))
                    data = {"function": node.name, "inside": inside}
                    self._problems.add("nested-function", scope.file, decorator.lineno, **data)
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and id(node) not in decorators:
                is_client = any(word.arg == "id" for word in node.keywords)
                if not is_client and self._table.sdk_name(scope, node.func, None) == "Endpoint":
                    self._problems.add("endpoint-in-function", scope.file, node.lineno, inside=inside)

    def _decorates(self, scope: Scope, decorator: ast.expr) -> bool:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        owner = called.value if isinstance(called, ast.Attribute) else called
        if self._table.sdk_name(scope, called, None) == "Endpoint":
            return True
        if owner is not called and self._table.is_app(scope, owner, None):
            return True
        try:
            return self._table.call_of(scope, owner, None) is not None
        except Unresolved:
            return False

    def _is_client(self, found: EndpointObject, scope: Scope, node: Function | ast.ClassDef, at: ast.expr) -> bool:
        mode = found.client_mode
        if mode is not None:
            data = {"what": found.what, "mode": mode, "function": node.name}
            self._problems.add("client-as-decorator", scope.file, at.lineno, **data)
        return mode is not None

    def _without_call(self, scope: Scope, at: ast.expr, node: Function | ast.ClassDef, example: str) -> None:
        data = {"decorator": f"@{shown(at)}", "example": example, "function": node.name}
        self._problems.add("decorator-without-call", scope.file, at.lineno, **data)

    def _may_be_endpoint(self, scope: Scope, node: ast.expr) -> bool:
        """Whether one of several bindings of the name is an endpoint or the class."""
        while isinstance(node, ast.Attribute):
            node = node.value
        for symbol in self._table.evaluator.candidates(scope, node):
            if isinstance(symbol, SdkName) and symbol.name == "Endpoint":
                return True
            if isinstance(symbol, Value) and isinstance(symbol.node, ast.Call):
                if self._table.sdk_name(symbol.scope, symbol.node.func, None) == "Endpoint":
                    return True
        return False

    def _calls(self, scope: Scope, step: Step) -> None:
        """Endpoint calls that are no decorators, and uses of the class that cannot be read."""
        read = set(map(id, _without_values(step.node)))
        for node in ast.walk(step.node):
            if not isinstance(node, ast.Call):
                continue
            self._apps.read_call(scope, node, step.order)
            name = self._table.sdk_name(scope, node.func, step.order)
            if name == "Endpoint":
                read.add(id(node.func))
                self._table.made(EndpointCall(scope, node, step.order, _assigned_name(step.node, node)))
            elif name in OLDER_RESOURCES:
                self._table.made(EndpointCall(scope, node, step.order, _assigned_name(step.node, node), name))
            elif isinstance(node.func, ast.Call) and self._makes_decorator(scope, node.func, step.order):
                self._problems.add("decorator-as-call", scope.file, node.lineno, decorator=shown(node.func))
        self._uses(scope, step, step.node, read)

    def _uses(self, scope: Scope, step: Step, inside: ast.AST, read: set[int]) -> None:
        for node in ast.walk(inside):
            if id(node) not in read and isinstance(node, (ast.Name, ast.Attribute)):
                if self._table.sdk_name(scope, node, step.order) == "Endpoint":
                    self._problems.add("endpoint-used-indirectly", scope.file, node.lineno)

    def _makes_decorator(self, scope: Scope, call: ast.Call, order: int) -> bool:
        """`Endpoint(...)` or `api.get(...)`, where it is called once more with a function."""
        owner = call
        if isinstance(call.func, ast.Attribute) and call.func.attr in ROUTE_METHODS:
            owner = call.func.value  # type: ignore[assignment]  # any expression may stand before the dot
        try:
            found = self._table.call_of(scope, owner, order)
        except Unresolved:
            return False
        return found is not None and not any(word.arg in ("id", "image") for word in found.call.keywords)


def _assigned_name(statement: ast.stmt, call: ast.Call) -> str | None:
    """`api` of `api = Endpoint(...)`."""
    target: ast.expr | None = None
    if isinstance(statement, ast.Assign) and statement.value is call:
        target = statement.targets[0]
    elif isinstance(statement, ast.AnnAssign) and statement.value is call:
        target = statement.target
    return target.id if isinstance(target, ast.Name) else None


def _without_values(statement: ast.stmt) -> list[ast.AST]:
    """Places that only name the class: `E = Endpoint` and annotations."""
    named: list[ast.AST] = []
    if isinstance(statement, ast.AnnAssign):
        named.extend(ast.walk(statement.annotation))
    if isinstance(statement, (ast.Assign, ast.AnnAssign)) and isinstance(statement.value, (ast.Name, ast.Attribute)):
        named.append(statement.value)
    return named
