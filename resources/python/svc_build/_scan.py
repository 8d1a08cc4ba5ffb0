"""From a project folder to the document: the order of the steps is the order in this file."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterable
from typing import Any

from svc_build._app_resources import AppReader, app_of
from svc_build._catalog import APP_PACKAGE, DECORATOR_MODULES
from svc_build._checks import check_endpoints, report_nothing_found
from svc_build._decorators import DecoratorReader
from svc_build._describe import Describer
from svc_build._endpoints import EndpointObject, EndpointTable
from svc_build._evaluate import Evaluator
from svc_build._import_checks import ImportChecker
from svc_build._problems import ERRORS, WARNINGS, Problems
from svc_build._project import Project
from svc_build._remote_calls import RemoteCalls
from svc_build._requirements import read_requirements
from svc_build._scope import Scope
from svc_build._sources import Sources

# Our kinds of the resources of an App, by their kinds in the manifest of 2.0.
_KINDS_OF_APPS = {"queue": "queue", "api": "load-balanced", "task": "task"}


def scan(root: str, allow_links_to: Iterable[str] = ()) -> dict[str, Any]:
    """The document that README.md describes. Raises OSError when `root` cannot be read."""
    # User code may be nested more deeply than Python's default of 1000 frames lets us walk.
    sys.setrecursionlimit(max(sys.getrecursionlimit(), 5000))
    problems = Problems()
    project = Project(os.path.abspath(root), problems, allow_links_to)
    _check_shadowed(project, problems)
    evaluator = Evaluator(project)
    table = EndpointTable(evaluator, problems)
    apps = AppReader(table, problems)
    scopes = _read_modules(project, table, apps, problems)
    built = _built(table.objects, problems)
    app = app_of(apps.apps, table.objects, problems)
    check_endpoints(table.objects, app, problems)
    calls = RemoteCalls(table, built)
    ImportChecker(project, table, problems, calls).check(built)
    describer = Describer(project, evaluator, problems, scopes.values())
    endpoints = [_document_of(endpoint, describer, calls, scopes) for endpoint in built]
    served = [endpoint for endpoint in endpoints if endpoint["kind"] != "client"]
    if not served:
        report_nothing_found(project, table.objects, app, problems)
    requirements = read_requirements(project.root, problems)
    errors = problems.of(ERRORS)
    warnings = problems.of(WARNINGS)
    # Last, because it may look into unused files, whose problems do not count.
    if not errors:
        sources = Sources(project, evaluator)
        for described, endpoint in zip(endpoints, built):
            described["sources"] = sources.of(endpoint, described)
    return {
        "ok": not errors,
        "app": app._asdict() if app is not None and app.name is not None else None,
        "files": project.files.files,
        "sourceFiles": project.files.sources,
        "ignored": project.files.ignored,
        "endpoints": endpoints,
        "requirements": requirements,
        "errors": errors,
        "warnings": warnings,
    }


def _read_modules(project: Project, table: EndpointTable, apps: AppReader, problems: Problems) -> dict[str, Scope]:
    """Read every file that can hold an endpoint: those that name the package, and those that import from them."""
    scopes: dict[str, Scope] = {}
    reader = DecoratorReader(table, apps, problems)
    names = {file: name for name, file in project.modules.items()}
    waiting = [file for file in project.files.sources if project.mentions_decorators(file)]
    while waiting:
        for file in waiting:
            scope = table.evaluator.module_scope(names[file])
            if scope is not None:
                scopes[file] = scope
                reader.read(scope)
        waiting = _importers(project, waiting, scopes)
    return dict(sorted(scopes.items()))


def _importers(project: Project, files: list[str], scopes: dict[str, Scope]) -> list[str]:
    """The files that are not read yet and may import one of `files`: their text has the last part of its name."""
    words = {file.removesuffix("/__init__.py").removesuffix(".py").rpartition("/")[2].encode() for file in files}
    pattern = re.compile(rb"\b(?:" + b"|".join(map(re.escape, sorted(words))) + rb")\b")
    found = []
    for file in project.files.sources:
        text = project.text(file)
        if file not in scopes and file not in files and b"import" in text and pattern.search(text):
            # A file that is no Python is a problem only where an endpoint needs it, which the import check finds out.
            if project.is_python(file):
                found.append(file)
    return found


def _check_shadowed(project: Project, problems: Problems) -> None:
    for package in (*DECORATOR_MODULES, APP_PACKAGE):
        # The older worker package has that name too, and is no part of apps.
        if project.has(package) and (package != APP_PACKAGE or any(map(project.mentions_app, project.files.sources))):
            problems.add("shadowed-package", project.modules.get(package, package), 1, package=package)


def _built(objects: list[EndpointObject], problems: Problems) -> list[EndpointObject]:
    """Those that go into the document, by file and line; a bare object only gives a warning."""
    built = []
    for endpoint in objects:
        if endpoint.targets or endpoint.routes or endpoint.client_mode:
            built.append(endpoint)
        else:
            problems.add("endpoint-without-functions", endpoint.file, endpoint.line, what=endpoint.what)
    return sorted(built, key=lambda endpoint: (endpoint.file, endpoint.line))


def _document_of(
    endpoint: EndpointObject, describer: Describer, calls: RemoteCalls, scopes: dict[str, Scope]
) -> dict[str, Any]:
    kind = "load-balanced" if endpoint.routes else "queue"
    if endpoint.kind is not None:
        kind = _KINDS_OF_APPS[endpoint.kind]
    if endpoint.client_mode is not None:
        kind = "client" if endpoint.client_mode == "id" else "image"
    # Routes of the object's own file first, then those of the others by name.
    routes = sorted(endpoint.routes, key=lambda route: (route.file != endpoint.file, route.file, route.line))
    shown = routes or endpoint.targets
    if endpoint.kind is not None:
        (first,) = endpoint.targets
        shown = endpoint.routes if isinstance(first.node, ast.ClassDef) else endpoint.targets
    makes_calls, called = calls.of(endpoint, scopes)
    return {
        "name": endpoint.name,
        "kind": kind,
        "file": endpoint.file,
        "line": endpoint.line,
        "variable": endpoint.variable,
        "settings": endpoint.settings,
        "functions": [describer.function(target) for target in shown],
        "makesRemoteCalls": makes_calls,
        "calls": called,
        # Fields of the manifest of 2.0 that an `Endpoint(...)` does not have.
        **({"sdk": 2, "module": first.module, "qualname": first.node.name} if endpoint.kind is not None else {}),
    }
