"""Says why an app has no endpoint: which of the usual causes applies, and where."""

from __future__ import annotations

import os
import re

from svc_build._app_resources import App
from svc_build._endpoints import EndpointObject
from svc_build._problems import ERROR, Problems
from svc_build._project import Project, imports_decorators

_DECORATED = re.compile(rb"^[ \t]*@[\w.]*Endpoint\b|\bEndpoint\(", re.MULTILINE)

# Entries of ignored folders that are looked at. Source: ours; about a second.
_LOOKED_AT = 20_000

_WRITE = 'Write `from svc import Endpoint` and `@Endpoint(name="hello")` above a function.'

_WRITE_OF_APP = "Write `@app.queue()` above a function, `@app.api()` above a class, or `@app.task()`."


def report_nothing_found(
    project: Project, objects: list[EndpointObject], app: App | None, problems: Problems
) -> None:
    """One error with the cause; nothing where other errors already say why."""
    bare = problems.take("decorator-without-call")
    if problems.of(ERROR):
        return
    if bare:
        first = bare[0]
        problems.add("nothing-decorated", first["file"], first["line"], cause=first["message"])
        return
    if app is not None:
        cause = f"the App(...) here deploys no function. {_WRITE_OF_APP}"
        problems.add("nothing-decorated", app.file, app.line, cause=cause)
        return
    ignored = _ignored_endpoint(project)
    if ignored is not None:
        file, pattern = ignored
        problems.add("nothing-decorated", file, 1, cause=f"{file} holds one, but {pattern} leaves it out of the build.")
        return
    for endpoint in objects:
        kind = "a client of an endpoint that exists" if endpoint.client_mode else "not used as a decorator"
        cause = f"the Endpoint(...) here is {kind}. {_WRITE}"
        problems.add("nothing-decorated", endpoint.file, endpoint.line, cause=cause)
        return
    for file in project.files.sources:
        line = imports_decorators(project.text(file))
        if line is not None:
            cause = f"{file} imports the package, but no function is decorated. {_WRITE}"
            problems.add("nothing-decorated", file, line, cause=cause)
            return
    folder = os.path.basename(os.path.abspath(project.root))
    if not project.files.sources:
        problems.add("nothing-decorated", ".", 1, cause=f"there is no Python file in {folder}. {_WRITE}")
        return
    count = len(project.files.sources)
    files = "the one Python file" if count == 1 else f"the {count} Python files"
    problems.add("nothing-decorated", ".", 1, cause=f"no function in {files} of {folder} is decorated. {_WRITE}")


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
