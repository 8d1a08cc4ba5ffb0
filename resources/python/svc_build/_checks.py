"""Rules about the whole app: names, functions and routes that must be unique, patterns that must not be mixed.

And why an app has no endpoint: which of the usual causes applies, and where.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from typing import Any

from svc_build._app_resources import App
from svc_build._endpoints import EndpointObject, Target
from svc_build._problems import ERRORS, Problems
from svc_build._project import Project, imports_decorators

# Modules of the worker process.
_WORKER = frozenset({"__main__", "svc_worker"})

_DECORATED = re.compile(rb"^[ \t]*@[\w.]*Endpoint\b|\bEndpoint\(", re.MULTILINE)

# Entries of ignored folders that are searched. Source: ours; about a second.
_LOOKED_AT = 20_000

_WRITE = 'Write `from svc import Endpoint` and `@Endpoint(name="hello")` above a function.'

_WRITE_OF_APP = "Write `@app.queue()` above a function, `@app.api()` above a class, or `@app.task()`."


def check_endpoints(objects: list[EndpointObject], app: App | None, problems: Problems) -> None:
    """Every rule that needs more than one call, or the call and its functions."""
    for endpoint in objects:
        _check_one(endpoint, problems)
    _check_names(objects, app, problems)
    _check_functions(objects, problems)
    for endpoint in objects:
        _check_routes(endpoint, problems)
        _check_path(endpoint, problems)


def _check_one(endpoint: EndpointObject, problems: Problems) -> None:
    file, what, lines = endpoint.file, endpoint.what, endpoint.lines
    settings = endpoint.settings
    if endpoint.kind is None:
        if "gpu" in settings and "cpu" in settings:
            problems.add("gpu-and-cpu", file, lines["cpu"], what=what)
        _check_call(endpoint, problems)
    else:
        for parameter, words in _refusals_of(settings):
            problems.add("refused", file, lines[parameter], words=words.format(endpoint.name))
    concurrency = settings.get("max_concurrency", 1)
    for target in endpoint.targets:
        if concurrency > 1 and isinstance(target.node, ast.FunctionDef):
            line = endpoint.line_of("max_concurrency")
            problems.add("sync-concurrency", file, line, function=target.node.name, count=concurrency)


def _refusals_of(settings: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """The package's messages about settings that exclude each other. Source: runpod/apps/spec.py and volume.py."""
    if "cpu" not in settings:
        return
    if "gpu" in settings:
        yield "cpu", "resource '{}': gpu and cpu are mutually exclusive"
    if "min_cuda_version" in settings:
        yield "min_cuda_version", "resource '{}': min_cuda_version has no effect on cpu resources"
    if any(mount["kind"] == "global" for mount in settings.get("mounts", [])):
        yield "mounts", "global volumes require gpu compute"


def _check_call(endpoint: EndpointObject, problems: Problems) -> None:
    """Check that an `Endpoint(...)` is used as its parameters allow."""
    file, what, lines = endpoint.file, endpoint.what, endpoint.lines
    settings = endpoint.settings
    if "id" in lines and "image" in lines:
        problems.add("id-and-image", file, endpoint.line, what=what)
    elif "image" in lines and "name" not in lines:
        problems.add("image-without-name", file, endpoint.line, image=repr(settings.get("image", "...")))
    if endpoint.routes and "name" not in lines:
        problems.add("load-balanced-without-name", file, endpoint.line)
    if endpoint.routes and endpoint.targets:
        last = endpoint.targets[-1]
        problems.add("mixed-patterns", last.file, last.line, what=what, function=last.node.name)
    if endpoint.routes:
        if settings.get("scaler_type") == "QUEUE_DELAY":
            problems.add("queue-scaler-with-routes", file, endpoint.line_of("scaler_type"), what=what)
        if settings.get("max_concurrency", 1) > 1:
            problems.add("concurrency-of-load-balanced", file, endpoint.line_of("max_concurrency"), what=what)


def _check_names(objects: list[EndpointObject], app: App | None, problems: Problems) -> None:
    """Each name once, and one function for each queue-based name."""
    first: dict[str, tuple[str, str, int]] = {}
    for endpoint in objects:
        # An endpoint that runs nothing here may be written in several files.
        if endpoint.name is None or endpoint.client_mode == "id":
            continue
        uses = [(target.node.name, target.file, target.line) for target in endpoint.targets]
        if (endpoint.routes and endpoint.kind is None) or endpoint.client_mode == "image":
            label = "the image" if endpoint.client_mode == "image" else "routes"
            uses = [] if endpoint.targets else [(label, endpoint.file, endpoint.line)]
        for function, file, line in uses:
            if endpoint.name not in first:
                first[endpoint.name] = (function, file, line)
                continue
            if endpoint.kind is not None and app is not None:
                words = f"duplicate resource name '{endpoint.name}' in app '{app.name}'"
                problems.add("refused", file, line, words=words)
                continue
            other, other_file, other_line = first[endpoint.name]
            data = {"other": other, "other_file": other_file, "other_line": other_line}
            problems.add("duplicate-name", file, line, name=endpoint.name, function=function, **data)


def _check_functions(objects: list[EndpointObject], problems: Problems) -> None:
    """A queue-based function is found by its name, so the app has it once. A module has each function once anyway."""
    queue: dict[str, Target] = {}
    in_file: dict[tuple[str, str], Target] = {}
    for endpoint in objects:
        # Those of an App are found by the names of their resources.
        for target in endpoint.targets + endpoint.routes if endpoint.kind is None else []:
            name = target.node.name
            key = (target.file, name)
            other = in_file.setdefault(key, target)
            if other.node is target.node and target.method is None:
                other = queue.setdefault(name, target)
            if other.node is not target.node:
                data = {"other_file": other.file, "other_line": other.line}
                problems.add("duplicate-function", target.file, target.line, function=name, **data)


def _check_routes(endpoint: EndpointObject, problems: Problems) -> None:
    """Paths that differ only in the names of their parameters are the same to a request."""
    first: dict[tuple[str | None, str], Target] = {}
    for target in endpoint.routes:
        shape = re.sub(r"\{[^}/]*\}", "{}", target.path or "")
        other = first.setdefault((target.method, shape), target)
        if other is not target and target.of_class and other.path == target.path:
            owner = endpoint.targets[0].node.name
            names = f"'{other.node.name}' and '{target.node.name}'"
            words = f"duplicate route {target.method} {target.path} on {owner}: {names}"
            problems.add("refused", target.file, target.line, words=words)
        elif other is not target:
            data = {"route": f"{target.method} {target.path}", "name": endpoint.name, "function": target.node.name}
            before = {"other": other.node.name, "other_file": other.file, "other_line": other.line}
            problems.add("duplicate-route", target.file, target.line, **data, **before)


def _check_path(endpoint: EndpointObject, problems: Problems) -> None:
    """Whether a worker can import the file: by its dotted name, as long as nothing else has that name there."""
    for target in endpoint.targets + endpoint.routes:
        parts = target.file.removesuffix(".py").split("/")
        # A dot in a name would be read as the next package.
        dotted = next((part for part in parts if "." in part), None)
        if dotted is not None:
            problems.add("unimportable-path", target.file, target.line, part=dotted)
        owner = "Python" if parts[0] in sys.stdlib_module_names else "the worker" if parts[0] in _WORKER else None
        if owner is not None:
            problems.add("reserved-module", target.file, target.line, module=parts[0], owner=owner)


def report_nothing_found(project: Project, objects: list[EndpointObject], app: App | None, problems: Problems) -> None:
    """One error with the cause; nothing where other errors already say why."""
    bare = problems.take("decorator-without-call")
    if problems.of(ERRORS):
        return
    if bare:
        file, line, cause = bare[0]["file"], bare[0]["line"], bare[0]["message"]
    else:
        file, line, cause = _place_and_cause(project, objects, app)
    problems.add("nothing-decorated", file, line, cause=cause)


def _place_and_cause(project: Project, objects: list[EndpointObject], app: App | None) -> tuple[str, int, str]:
    if app is not None:
        return app.file, app.line, f"the App(...) here deploys no function. {_WRITE_OF_APP}"
    if (ignored := _ignored_endpoint(project)) is not None:
        file, pattern = ignored
        return file, 1, f"{file} holds one, but {pattern} leaves it out of the build."
    if objects:
        first = objects[0]
        kind = "a client of an endpoint that exists" if first.client_mode else "not used as a decorator"
        return first.file, first.line, f"the Endpoint(...) here is {kind}. {_WRITE}"
    sources = project.files.sources
    for file in sources:
        if (line := imports_decorators(project.text(file))) is not None:
            return file, line, f"{file} imports the package, but no function is decorated. {_WRITE}"
    folder = os.path.basename(os.path.abspath(project.root))
    if not sources:
        return ".", 1, f"there is no Python file in {folder}. {_WRITE}"
    files = "the one Python file" if len(sources) == 1 else f"the {len(sources)} Python files"
    return ".", 1, f"no function in {files} of {folder} is decorated. {_WRITE}"


def _ignored_endpoint(project: Project) -> tuple[str, str] | None:
    """A file with a decorated function that is left out, and by what."""
    for file in project.files.ignored_sources(_LOOKED_AT):
        try:
            with open(os.path.join(project.root, file), "rb") as opened:
                text = opened.read()
        except OSError:
            continue
        if imports_decorators(text) is not None and _DECORATED.search(text):
            return file, str(project.files.why_ignored(file))
    return None
