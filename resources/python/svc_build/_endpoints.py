"""The endpoints of the project: one object for each `Endpoint(...)` or `@app.queue(...)` call.

A decorator may use an object that another file made (`from app.api import api`), so the calls of all files are in one
table, by the call's node.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from svc_build._catalog import APP_PACKAGE, OLDER_RESOURCES
from svc_build._evaluate import Evaluator
from svc_build._older_api import as_endpoint
from svc_build._parameters import APP_RESOURCES, ENDPOINT, ParameterTable
from svc_build._problems import Problems
from svc_build._scope import Function, Scope
from svc_build._settings import SettingsReader
from svc_build._symbols import Invalid, Refused, SdkName, Symbol, Unresolved, Value, ValueAttribute, shown

_PATHS = 'one text that begins with /, like @api.post("/items/{id}")'


@dataclass(frozen=True)
class Target:
    """A decorated function or class; `method` and `path` are those of a route, `line` that of the decorator.

    `of_class`: the route is a method.
    """

    node: Function | ast.ClassDef
    file: str
    module: str
    line: int
    method: str | None = None
    path: str | None = None
    of_class: bool = False


@dataclass(eq=False)
class EndpointObject:
    """One `Endpoint(...)` call. `targets`: what it decorates; `routes`: functions of `@object.get(path)` etc.

    `kind`: queue, api or task of an App; then `routes` are methods of the class that it decorates.
    """

    file: str
    module: str
    line: int
    variable: str | None
    settings: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    targets: list[Target] = field(default_factory=list)
    routes: list[Target] = field(default_factory=list)
    kind: str | None = None

    @property
    def client_mode(self) -> str | None:
        """The parameter that makes it a client in the source: id or image. None for a resource of an App."""
        if self.kind is not None:
            return None
        return "id" if "id" in self.lines else "image" if "image" in self.lines else None

    @property
    def name(self) -> str | None:
        """The name it is given, else that of its function, as in the public tool."""
        name: str | None = self.settings.get("name")
        if name is None and "name" not in self.lines and self.targets:
            return self.targets[0].node.name
        return name

    @property
    def what(self) -> str:
        if self.name is not None:
            return f'endpoint "{self.name}"'
        return f"endpoint {self.variable}" if self.variable else "this endpoint"

    def line_of(self, parameter: str) -> int:
        return self.lines.get(parameter, self.line)


class EndpointCall(NamedTuple):
    """Where an `Endpoint(...)` call stands, and the name that it was bound to.

    `resource`: it is a call of this class of the older interface.
    """

    scope: Scope
    call: ast.Call
    order: int | None
    variable: str | None
    resource: str | None = None


class EndpointTable:
    """Knows which expressions are endpoints; `objects` are in the order in which they were met."""

    def __init__(self, evaluator: Evaluator, problems: Problems) -> None:
        self.evaluator = evaluator
        self._problems = problems
        self._by_call: dict[int, EndpointObject] = {}

    @property
    def objects(self) -> list[EndpointObject]:
        return list(self._by_call.values())

    def sdk_name(self, scope: Scope, node: ast.expr, order: int | None) -> str | None:
        """The name of `node` in the package, e.g. Endpoint; None: it is something else."""
        symbol = self._symbol(scope, node, order)
        return symbol.name if isinstance(symbol, SdkName) else None

    def is_app(self, scope: Scope, node: ast.expr, order: int | None) -> bool:
        """Whether an expression is an `App(...)` of the package runpod 2.0, or was bound to one."""
        if isinstance(node, ast.Call):
            return self.sdk_name(scope, node.func, order) == f"{APP_PACKAGE}.App"
        symbol = self._symbol(scope, node, order)
        if not isinstance(symbol, Value) or not isinstance(symbol.node, ast.Call):
            return False
        return self.is_app(symbol.scope, symbol.node, symbol.order)

    def _symbol(self, scope: Scope, node: ast.expr, order: int | None) -> Symbol | None:
        try:
            return self.evaluator.lookup(scope, node, order)
        except Unresolved:
            return None

    def call_of(self, scope: Scope, node: ast.AST, order: int | None) -> EndpointCall | None:
        """The call behind an expression: itself, or what its name was bound to. Raises Unresolved."""
        if isinstance(node, ast.Call):
            name = self.sdk_name(scope, node.func, order)
            if name == "Endpoint" or name in OLDER_RESOURCES:
                return EndpointCall(scope, node, order, None, None if name == "Endpoint" else name)
            return None
        if not isinstance(node, (ast.Name, ast.Attribute)):
            return None
        try:
            symbol = self.evaluator.lookup(scope, node, order)
        except ValueAttribute:  # `api.get` is a part of an endpoint and not one
            return None
        if not isinstance(symbol, Value) or not isinstance(symbol.node, ast.Call):
            return None
        found = self.call_of(symbol.scope, symbol.node, symbol.order)
        return found._replace(variable=symbol.name) if found is not None else None

    def object_of(self, scope: Scope, node: ast.AST, order: int | None) -> EndpointObject | None:
        """The endpoint that an expression is. Raises Unresolved."""
        found = self.call_of(scope, node, order)
        return self.made(found) if found is not None else None

    def known(self, call: ast.Call) -> EndpointObject | None:
        """The object of a call at the top level of some file; None for one in a function."""
        return self._by_call.get(id(call))

    def made(self, found: EndpointCall) -> EndpointObject:
        """The object of a call, always the same."""
        known = self._by_call.get(id(found.call))
        if known is None:
            scope = found.scope
            known = EndpointObject(scope.file, scope.module, found.call.lineno, found.variable)
            self._by_call[id(found.call)] = known
            call = as_endpoint(found.call, found.resource) if found.resource else found.call
            self._read(known, call, found)
        return known

    def resource(self, found: EndpointCall, kind: str, target: Target) -> EndpointObject:
        """The resource of a decorator `@app.queue(...)` and the like, always the same."""
        known = self._by_call.get(id(found.call))
        if known is None:
            known = EndpointObject(found.scope.file, found.scope.module, found.call.lineno, None, kind=kind)
            known.targets.append(target)
            self._by_call[id(found.call)] = known
            name = self._name(found._replace(call=ast.Call(found.call.func, [], found.call.keywords)))
            resource = name if isinstance(name, str) and name else target.node.name
            reader = self._reader(found, f'endpoint "{resource}"', APP_RESOURCES[kind], resource)
            known.settings, known.lines = reader.read(found.call)
        return known

    def path_of(
        self,
        scope: Scope,
        call: ast.Call,
        order: int | None,
        what: str,
        refusal: Callable[[object], str | None] = lambda _path: None,
    ) -> str | None:
        """The path that the decorator of a route gives; None: it is wrong, which is recorded."""
        given = call.args + [word.value for word in call.keywords if word.arg == "path"]
        others = [word.arg for word in call.keywords if word.arg != "path"]
        data = {"parameter": "path", "what": what}
        try:
            if len(given) != 1 or others:
                raise Invalid(_PATHS)
            path = self.evaluator.evaluate(scope, given[0], order)
            if (words := refusal(path)) is not None:
                raise Refused(words)
            if isinstance(path, str) and path.startswith("/") and not any(map(str.isspace, path)):
                return path
            raise Invalid(_PATHS)
        except Unresolved as reason:
            way_out = "Write the path itself or a constant of a project file."
            self._problems.add("unresolved-value", scope.file, call.lineno, reason=reason, way_out=way_out, **data)
        except Refused as words:
            self._problems.add("refused", scope.file, call.lineno, words=words)
        except Invalid as allowed:
            value = f"`{shown(given[0] if len(given) == 1 and not others else call)}`"
            self._problems.add("invalid-value", scope.file, call.lineno, value=value, allowed=allowed, **data)
        return None

    def add_settings(self, known: EndpointObject, call: ast.Call, scope: Scope, order: int | None) -> None:
        """Settings that are written in a second place; the first stays."""
        self._read(known, call, EndpointCall(scope, call, order, known.variable))

    def _read(self, known: EndpointObject, call: ast.Call, found: EndpointCall) -> None:
        what = known.what if known.name is not None else self._what(found)
        settings, lines = self._reader(found, what, ENDPOINT).read(call)
        known.settings = {**settings, **known.settings}
        known.lines = {**lines, **known.lines}

    def _reader(
        self, found: EndpointCall, what: str, takes: ParameterTable, resource: str | None = None
    ) -> SettingsReader:
        return SettingsReader(self.evaluator, self._problems, found.scope, found.order, what, takes, resource)

    def _what(self, found: EndpointCall) -> str:
        """How messages name an endpoint whose settings are not read yet."""
        name = self._name(found)
        if isinstance(name, str):
            return f'endpoint "{name}"'
        return f"endpoint {found.variable}" if found.variable else "Endpoint(...)"

    def _name(self, found: EndpointCall) -> Any:
        given = found.call.args[:1] + [word.value for word in found.call.keywords if word.arg == "name"]
        try:
            return self.evaluator.evaluate(found.scope, given[0], found.order) if given else None
        except (Unresolved, Invalid):
            return None
