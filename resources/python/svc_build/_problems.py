"""Every error and warning of a scan: its code and its message, whose places are filled by name."""

from __future__ import annotations

from typing import Any

ERRORS: dict[str, str] = {
    # nothing to build
    "nothing-decorated": "No endpoint was found: {cause}",
    "mixed-apps": (
        "This App of the package runpod 2.0 and the endpoint in {other_file} line {other_line} are in one folder. One "
        "folder deploys one app: keep the two in folders of their own."
    ),
    "several-apps": (
        "This is the second App of the folder; the first is in {other_file} line {other_line}. One folder deploys one "
        "app: import that one here, or keep the two in folders of their own."
    ),
    # how a decorator is written
    "decorator-without-call": "{decorator} needs a call: write {decorator}({example}) above {function}.",
    "decorator-as-call": "{decorator} is applied by a call here; write it as a decorator above the function.",
    "nested-function": (
        "{function} is decorated inside of {inside}, where a worker cannot import it. Move it to the top level of the "
        "file."
    ),
    "older-decorator": (
        "`{shown}` above {function} is not complete: write {example}, or use Endpoint instead of the older interface."
    ),
    "ambiguous-endpoint": "Which endpoint {expression} is cannot be known when the app is built: {reason}.",
    "shadowed-package": "{file} hides the package `{package}` that the app imports. Rename it.",
    "unimportable-path": "{file} holds an endpoint, but a name with a dot cannot be imported: rename {part}.",
    "reserved-module": "{file} holds an endpoint, but on a worker the module {module} belongs to {owner}. Rename it.",
    # functions and classes of an App; `words`: the message of the package runpod 2.0
    "refused": "{words}",
    "unknown-resource-kind": "{decorator} of {function} is no decorator of an App; there are {allowed}.",
    "resource-of-class": "{decorator} takes a function, and {function} is a class. Only @app.api takes one.",
    # parameters
    "unresolved-value": "{parameter} of {what} cannot be known when the app is built: {reason}. {way_out}",
    "invalid-value": "{parameter} of {what} is {value}; it takes {allowed}.",
    "unknown-parameter": "{what} has an unknown parameter {parameter}.{hint}",
    "repeated-parameter": "{parameter} of {what} is given twice.",
    "too-many-positions": "{what} has {count} positional arguments; only the endpoint's name may be positional.",
    "gpu-and-cpu": "{what} has both gpu and cpu; give one of them.",
    "id-and-image": "{what} has both id and image: id= is a client of an endpoint that exists, image= makes a new one.",
    "image-without-name": 'The endpoint with image={image} has no name. Write Endpoint(name="...", image=...).',
    # functions, routes
    "duplicate-name": (
        'The endpoint name "{name}" is used twice: for {function} here and for {other} in {other_file} line '
        "{other_line}. Give each its own name."
    ),
    "duplicate-function": (
        "The function {function} is decorated twice: here and in {other_file} line {other_line}. Rename one of them."
    ),
    "duplicate-route": (
        '{route} of "{name}" is declared twice: for {function} here and for {other} in {other_file} line {other_line}.'
    ),
    "reserved-path": "{path} is used by the worker itself. Choose another path for {function}.",
    "unknown-route-method": "{decorator} is no route decorator; there are {allowed}.",
    "class-with-route": "{function} is a class; only a function can be a route.",
    "mixed-patterns": "{what} is used both as a decorator of {function} and with routes. Make two endpoints of it.",
    "client-as-decorator": (
        "{what} has {mode}=..., so it is a client and runs no function of yours. Decorate {function} with an "
        "Endpoint(name=...) of its own."
    ),
    "load-balanced-without-name": 'An endpoint with routes needs a name: write Endpoint(name="...", ...).',
    "queue-scaler-with-routes": (
        "scaler_type of {what} is QUEUE_DELAY, but an endpoint with routes has no queue; it takes REQUEST_COUNT."
    ),
    "class-without-methods": "The class {function} has no public method that a job could call.",
    # files and imports
    "syntax-error": "{reason} (read by Python {python}).",
    "unreadable-file": "The file cannot be read: {reason}.",
    "project-is-data-folder": (
        "This folder is the data folder of a service (it holds {files}). Move the app into a folder of its own."
    ),
    "link-leads-out": (
        "{file} is a link that leads out of the project, to {target}. Copy the file here, name the link in "
        ".runpodignore, or build with --allow-links-to {folder}."
    ),
    "peer-import": (
        '{function} belongs to the endpoint "{name}" and is imported at the top of the file. Move the import into the '
        "body of the function that calls it."
    ),
    "ignored-import": "{importer} imports {module}, but {ignored} is left out of the build by {pattern}. {way_out}",
    "name-of-older-package": (
        "The package svc has no {name}. Write `from runpod_flash import {name}`, or use Endpoint instead."
    ),
    "unresolvable-relative-import": "`{statement}` leads to no module: {reason}.",
    "requirements-missing": "{text}: there is no file {target} in the project.",
}

WARNINGS: dict[str, str] = {
    # how a decorator is written
    "endpoint-in-function": (
        "Endpoint(...) inside of {inside} is not part of the build. Move it to the top level of the file to deploy it."
    ),
    "endpoint-used-indirectly": (
        "Endpoint is used here in a way that cannot be read. Only `Endpoint(...)` written out becomes an endpoint."
    ),
    "endpoint-without-functions": (
        "{what} has no function, no route and no image, so it is left out. Decorate a function with it or remove it."
    ),
    # functions, routes
    "route-refused-later": (
        "{function}: the runpod release after 2.0.0rc2 refuses this route: {why}. Use a function with @app.api() that "
        "returns a FastAPI application."
    ),
    "schedule-without-arguments": (
        "{function} needs {parameters}, but its schedule passes no arguments. Give them defaults."
    ),
    "constructor-arguments-missing": (
        "{function} needs {parameters} to be made, and no call in the project gives it as a plain value: only calls "
        "that bring it along can be answered. Give it a default."
    ),
    "constructor-conflict": (
        "{function} is made with other arguments here than in {other_file} line {other_line}. A worker makes it once, "
        "with those of the first; a call with others makes it once more."
    ),
    "constructor-unknown": (
        "{parameter} of {function}(...) is not known when the app is built: {reason}. A worker makes it when the first "
        "call brings the argument along."
    ),
    "concurrency-of-load-balanced": (
        "max_concurrency of {what} has no effect: a worker with routes answers requests as they come."
    ),
    "sync-concurrency": (
        "{function} is not async, so its {count} jobs at once run in threads. Make sure that it is thread-safe."
    ),
    # files and imports
    "credentials-left-out": (
        "Left out of the build, because such files hold credentials: {files}. Give workers their secrets with `drydock "
        "env set`."
    ),
    "symlinked-folder": "{file} is a link to a folder and is left out. Copy the folder into the project.",
    "guarded-ignored-import": (
        "{importer} tries to import {module}, but {ignored} is left out of the build by {pattern}."
    ),
    "neighbour-import": (
        "`{statement}` does not find {module} on a worker, which looks for bare names at the top of the project and "
        "next to the files of endpoints. Import it as {module}."
    ),
    "third-party-import": (
        "{package} is imported at the top of the file, so each function of the file needs it on its worker. Move the "
        "import into the function that uses it."
    ),
    "dynamic-import": (
        "What {call} imports cannot be known when the app is built. Make sure that the module is part of the project."
    ),
}


class Problems:
    """The errors and warnings found so far, each once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, int, str], dict[str, Any]] = {}

    def add(self, code: str, file: str, line: int, **data: Any) -> None:
        """Record a problem; `parameter` of the data is also a field of the result, for editors."""
        template = ERRORS.get(code) or WARNINGS[code]
        message = template.format(**{"file": file, **data})
        found: dict[str, Any] = {"code": code, "message": message, "file": file, "line": line}
        if "parameter" in data:
            found["parameter"] = data["parameter"]
        self._found.setdefault((code, file, line, message), found)

    def of(self, messages: dict[str, str]) -> list[dict[str, Any]]:
        """All of ERRORS, or all of WARNINGS, by file and line."""
        chosen = [problem for problem in self._found.values() if problem["code"] in messages]
        return sorted(chosen, key=lambda problem: (problem["file"], problem["line"], problem["code"]))

    def take(self, code: str) -> list[dict[str, Any]]:
        """Remove all with this code and return them, for a problem that says the same better."""
        taken = [key for key in self._found if key[0] == code]
        return [self._found.pop(key) for key in taken]
