"""Programs of the package `runpod` 2.0: an `App`, and the functions and classes that it deploys.

`@app.queue(...)` makes an endpoint for jobs, `@app.api(...)` one for requests, and `@app.task(...)` what runs on a
worker of its own whenever it is called. Source: the package, runpod/apps/app.py and handles.py.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from svc_build._catalog import APP_PACKAGE, ROUTE_METHODS
from svc_build._endpoints import EndpointCall, EndpointObject, EndpointTable, Target
from svc_build._parameters import APP_RESOURCES, cron
from svc_build._problems import Problems
from svc_build._scope import Function, Scope, Step
from svc_build._symbols import Definition, Invalid, Refused, Unresolved, shown

# The worker answers these itself. source: the package, runpod/apps/markers.py.
_RESERVED = ("/execute", "/ping", "/_runpod/sync")
# Annotations of a body that the release after 2.0.0rc2 accepts.
_BODY = re.compile(r"(?:typing\.)?(?:Any|Dict(?:\[str, (?:typing\.)?Any\])?)|dict(?:\[str, (?:typing\.)?Any\])?")
_MARKERS = {f"{APP_PACKAGE}.{name}": name.upper() for name in ROUTE_METHODS}


class App(NamedTuple):
    """An `App(name)` at the top level of a file; `name` None: it is wrong or not known."""

    name: str | None
    file: str
    line: int


class AppReader:
    """Fills `table` with the resources of apps; `apps` are in the order in which they were met."""

    def __init__(self, table: EndpointTable, problems: Problems) -> None:
        self._table = table
        self._problems = problems
        self._apps: dict[int, App] = {}

    @property
    def apps(self) -> list[App]:
        return list(self._apps.values())

    def read_call(self, scope: Scope, call: ast.Call, order: int) -> None:
        """An `App(...)`, or a decorator of one that is applied by a call."""
        if self._table.sdk_name(scope, call.func, order) == f"{APP_PACKAGE}.App":
            name = self._name_of(scope, call, order)
            self._apps.setdefault(id(call), App(name, scope.file, call.lineno))
        elif isinstance(call.func, ast.Call) and self._kind_of(scope, call.func.func, order) in APP_RESOURCES:
            self._problems.add("decorator-as-call", scope.file, call.lineno, decorator=shown(call.func))

    def read_decorator(self, scope: Scope, step: Step, node: Function | ast.ClassDef, decorator: ast.expr) -> bool:
        """Whether the decorator is one of this package; what is wrong with it is recorded."""
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        data = {"decorator": f"@{shown(called)}", "function": node.name}
        if self._is_schedule(scope, called, step.order):
            return True
        kind = self._kind_of(scope, called, step.order)
        if kind is None:
            return False
        if kind not in APP_RESOURCES:
            allowed = ", ".join(f"@{shown(called).rpartition('.')[0]}.{name}(...)" for name in APP_RESOURCES)
            self._problems.add("unknown-resource-kind", scope.file, decorator.lineno, allowed=allowed, **data)
        elif not isinstance(decorator, ast.Call):
            self._problems.add("decorator-without-call", scope.file, decorator.lineno, example="", **data)
        elif isinstance(node, ast.ClassDef) and kind != "api":
            self._problems.add("resource-of-class", scope.file, decorator.lineno, **data)
        else:
            self._resource(scope, step, node, decorator, kind)
        return True

    def _is_schedule(self, scope: Scope, called: ast.expr, order: int) -> bool:
        return self._table.sdk_name(scope, called, order) == f"{APP_PACKAGE}.schedule"

    def _kind_of(self, scope: Scope, called: ast.expr, order: int) -> str | None:
        """`queue` of `app.queue`; None: it is no attribute of an App."""
        if not isinstance(called, ast.Attribute) or not self._table.is_app(scope, called.value, order):
            return None
        return called.attr

    def _name_of(self, scope: Scope, call: ast.Call, order: int) -> str | None:
        given = call.args[:1] + [word.value for word in call.keywords if word.arg == "name"]
        what = {"parameter": "name", "what": "App(...)"}
        if not given:
            self._refuse(scope, call, "App.__init__() missing 1 required positional argument: 'name'")
            return None
        try:
            name = self._table.evaluator.evaluate(scope, given[0], order)
            if isinstance(name, str) and name:
                return name
            self._refuse(scope, call, "App name must be a non-empty string")
        except (Unresolved, Invalid) as reason:
            way_out = "Write the name itself or a constant of a project file."
            self._problems.add("unresolved-value", scope.file, call.lineno, reason=reason, way_out=way_out, **what)
        return None

    def _resource(self, scope: Scope, step: Step, node: Function | ast.ClassDef, call: ast.Call, kind: str) -> None:
        found = EndpointCall(scope, call, step.order, node.name)
        known = self._table.resource(found, kind, Target(node, scope.file, scope.module, call.lineno))
        for decorator in node.decorator_list:
            called = decorator.func if isinstance(decorator, ast.Call) else decorator
            if self._is_schedule(scope, called, step.order):
                self._schedule(scope, step, node, decorator, known)
        if isinstance(node, ast.ClassDef) and not known.routes:
            known.routes.extend(self._routes(scope, node))
            if not known.routes:
                words = (
                    f"@app.api class {node.name} defines no routes; mark methods with @get/@post/@put/@delete/@patch"
                )
                self._refuse(scope, node, words)

    def _routes(self, scope: Scope, node: ast.ClassDef) -> Iterator[Target]:
        """The methods with a route, by their names: the first one that matches answers, as in the package."""
        starts: list[str] = []
        for name, method in sorted(self._table.evaluator.methods(node, scope).items()):
            for decorator in method.node.decorator_list:
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                marker = self._table.sdk_name(method.scope, called, None)
                if marker == f"{APP_PACKAGE}.init":
                    starts.append(name)
                elif marker in _MARKERS:
                    yield from self._route(method, decorator, _MARKERS[marker])
        if len(starts) > 1:
            first, second, *_ = starts
            self._refuse(scope, node, f"multiple @init methods on {node.name}: '{first}' and '{second}'")

    def _route(self, method: Definition, decorator: ast.expr, http_method: str) -> Iterator[Target]:
        scope, node = method.scope, method.node
        line = decorator.lineno
        if not isinstance(decorator, ast.Call):
            data = {"decorator": f"@{shown(decorator)}", "example": '"/path"', "function": node.name}
            self._problems.add("decorator-without-call", scope.file, line, **data)
            return
        path = self._table.path_of(scope, decorator, None, f"the route {node.name}", _refused_path)
        if path is None:
            return
        why = _refused_later(node, http_method, path)
        if why is not None:
            data = {"function": node.name, "why": why}
            self._problems.add("route-refused-later", scope.file, line, **data)
        yield Target(node, scope.file, scope.module, line, http_method, path, of_class=True)

    def _schedule(
        self,
        scope: Scope,
        step: Step,
        node: Function | ast.ClassDef,
        decorator: ast.expr,
        known: EndpointObject,
    ) -> None:
        """Source: the package, runpod/apps/schedule.py."""
        given = {word.arg: word.value for word in decorator.keywords} if isinstance(decorator, ast.Call) else {}
        if not isinstance(decorator, ast.Call) or decorator.args:
            self._refuse(scope, decorator, "schedule() takes 0 positional arguments but 1 was given")
        elif "cron" not in given:
            self._refuse(scope, decorator, "schedule() missing 1 required keyword-only argument: 'cron'")
        else:
            try:
                known.settings["schedule"] = cron(self._table.evaluator.evaluate(scope, given["cron"], step.order))
            except Refused as words:
                self._refuse(scope, decorator, str(words))
            except (Unresolved, Invalid) as reason:
                data = {"parameter": "cron", "what": f"the schedule of {node.name}", "reason": reason}
                way_out = "Write the pattern itself or a constant of a project file."
                self._problems.add("unresolved-value", scope.file, decorator.lineno, way_out=way_out, **data)
        needed = [] if isinstance(node, ast.ClassDef) else _required(node.args)
        if needed:
            data = {"function": node.name, "parameters": ", ".join(needed)}
            self._problems.add("schedule-without-arguments", scope.file, decorator.lineno, **data)

    def _refuse(self, scope: Scope, node: ast.stmt | ast.expr, words: str) -> None:
        self._problems.add("refused", scope.file, node.lineno, words=words)


def _required(given: ast.arguments) -> list[str]:
    plain = [*given.posonlyargs, *given.args]
    keywords = [one.arg for one, default in zip(given.kwonlyargs, given.kw_defaults) if default is None]
    return [one.arg for one in plain[: len(plain) - len(given.defaults)]] + keywords


def _refused_path(path: object) -> str | None:
    """The package's message; source: runpod/apps/markers.py."""
    if not isinstance(path, str) or not path.startswith("/"):
        return f"path must start with '/', got: {path!r}"
    if path in _RESERVED:
        return f"path {path!r} is reserved by the worker runtime (reserved: {', '.join(sorted(_RESERVED))})"
    return None


def _refused_later(node: Function, method: str, path: str) -> str | None:
    """Why the release after 2.0.0rc2 refuses a route. Source: the package's changelog; its messages are not published."""
    given = node.args
    plain = [*given.posonlyargs, *given.args][1:]
    more = bool(given.vararg or given.kwarg or given.kwonlyargs or given.defaults)
    if "{" in path:
        return "its path has parameters"
    if method == "GET":
        return "a GET route takes only self" if plain or more else None
    if len(plain) > 1 or more:
        return f"a {method} route takes self and at most one body without a default"
    annotation = ast.unparse(plain[0].annotation) if plain and plain[0].annotation else "dict"
    return None if _BODY.fullmatch(annotation) else f"its body is {annotation}, not dict"


def app_of(apps: list[App], objects: list[EndpointObject], problems: Problems) -> App | None:
    """The app of a project, if any. Several apps, or an app and an `Endpoint(...)`, are an error."""
    if not apps:
        return None
    first, *others = sorted(apps, key=lambda app: (app.file, app.line))
    for other in others:
        problems.add("several-apps", other.file, other.line, other_file=first.file, other_line=first.line)
    older = [one for one in objects if one.kind is None and (one.targets or one.routes or one.client_mode == "image")]
    if older:
        beside = min(older, key=lambda one: (one.file, one.line))
        problems.add("mixed-apps", first.file, first.line, other_file=beside.file, other_line=beside.line)
    return first
