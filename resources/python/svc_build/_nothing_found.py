"""Says why an app has no endpoint: which of the usual causes applies, and where."""

from __future__ import annotations

import os
import re

from svc_build._app_resources import App
from svc_build._endpoints import EndpointObject
from svc_build._problems import ERRORS, Problems
from svc_build._project import Project, imports_decorators

_DECORATED = re.compile(rb"^[ \t]*@[\w.]*Endpoint\b|\bEndpoint\(", re.MULTILINE)

# Entries of ignored folders that are looked at. Source: ours; about a second.
_LOOKED_AT = 20_000

_WRITE = 'Write `from svc import Endpoint` and `@Endpoint(name="hello")` above a function.'

_WRITE_OF_APP = "Write `@app.queue()` above a function, `@app.api()` above a class, or `@app.task()`."


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
