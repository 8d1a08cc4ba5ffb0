"""Every error and warning of a scan: its code, its level and its message, whose places are filled by name."""

from __future__ import annotations

from typing import Any

ERROR = "error"
WARNING = "warning"

MESSAGES: dict[str, tuple[str, str]] = {
    # nothing to build
    "nothing-decorated": (ERROR, "No endpoint was found: {cause}"),
    "mixed-apps": (
        ERROR,
        "An App of the package runpod 2.0 stands beside the endpoint in {other_file} line {other_line}. One app has one "
        "form: keep the two in folders of their own.",
    ),
    "several-apps": (
        ERROR,
        "This is the second App of the folder; the first is in {other_file} line {other_line}. One folder deploys one app: "
        "import that one here, or keep the two in folders of their own.",
    ),
    # how a decorator is written
    "decorator-without-call": (ERROR, "{decorator} needs a call: write {decorator}({example}) above {function}."),
    "decorator-as-call": (ERROR, "{decorator} is applied by a call here; write it as a decorator above the function."),
    "nested-function": (
        ERROR,
        "{function} is decorated inside of {inside}, where a worker cannot import it. Move it to the top level of "
        "the file.",
    ),
    "older-decorator": (
        ERROR,
        "`{shown}` above {function} is not complete: write {example}, or use Endpoint instead of the older interface.",
    ),
    "ambiguous-endpoint": (ERROR, "Which endpoint {expression} is cannot be known when the app is built: {reason}."),
    "shadowed-package": (ERROR, "{file} hides the package `{package}` that the app imports. Rename it."),
    "unimportable-path": (
        ERROR,
        "{file} holds an endpoint, but a name with a dot cannot be imported: rename {part}.",
    ),
    "reserved-module": (
        ERROR,
        "{file} holds an endpoint, but on a worker the module {module} belongs to {owner}. Rename it.",
    ),
    "endpoint-in-function": (
        WARNING,
        "Endpoint(...) inside of {inside} is not part of the build. Move it to the top level of the file to deploy it.",
    ),
    "endpoint-used-indirectly": (
        WARNING,
        "Endpoint is used here in a way that cannot be read. Only `Endpoint(...)` written out becomes an endpoint.",
    ),
    "endpoint-without-functions": (
        WARNING,
        "{what} has no function, no route and no image, so it is left out. Decorate a function with it or remove it.",
    ),
    # functions and classes of an App
    "unknown-resource-kind": (ERROR, "{decorator} of {function} is no decorator of an App; there are {allowed}."),
    "resource-of-class": (ERROR, "{decorator} takes a function, and {function} is a class. Only @app.api takes one."),
    "api-without-routes": (
        ERROR,
        "The class {function} has no route. Put @get(path), @post(path), @put(path), @patch(path) or @delete(path) above "
        "its methods.",
    ),
    "several-inits": (ERROR, "{function} has several methods with @init: {names}. Keep one."),
    "schedule-unsupported": (
        ERROR,
        "{decorator} above {function}: schedules are run neither here nor by the platform yet. Remove it, and let another "
        "program call {function} at its times.",
    ),
    "cuda-without-gpu": (ERROR, "min_cuda_version of {what} says nothing, as it runs on a CPU. Remove one of them."),
    # parameters
    "unresolved-value": (ERROR, "{parameter} of {what} cannot be known when the app is built: {reason}. {way_out}"),
    "invalid-value": (ERROR, "{parameter} of {what} is {value}; it takes {allowed}."),
    "unknown-parameter": (ERROR, "{what} has an unknown parameter {parameter}.{hint}"),
    "repeated-parameter": (ERROR, "{parameter} of {what} is given twice."),
    "too-many-positions": (ERROR, "{what} has {count} arguments without a name; only the endpoint's name may come so."),
    "no-positions": (ERROR, "{what} takes its arguments by name only, like name=..., cpu=..."),
    "gpu-and-cpu": (ERROR, "{what} has both gpu and cpu; give one of them."),
    "id-and-image": (
        ERROR,
        "{what} has both id and image: id= is a client of an endpoint that exists, image= makes a new one.",
    ),
    "image-without-name": (
        ERROR,
        'The endpoint with image={image} has no name. Write Endpoint(name="...", image=...).',
    ),
    # functions, routes
    "duplicate-name": (
        ERROR,
        'The endpoint name "{name}" is used twice: for {function} here and for {other} in {other_file} line '
        "{other_line}. "
        "Give each its own name.",
    ),
    "duplicate-function": (
        ERROR,
        "The function {function} is decorated twice: here and in {other_file} line {other_line}. Rename one of them.",
    ),
    "duplicate-route": (
        ERROR,
        '{route} of "{name}" is declared twice: for {function} here and for {other} in {other_file} line {other_line}.',
    ),
    "reserved-path": (ERROR, "{path} is used by the worker itself. Choose another path for {function}."),
    "unknown-route-method": (ERROR, "{decorator} is no route decorator; there are {allowed}."),
    "class-with-route": (ERROR, "{function} is a class; only a function can be a route."),
    "mixed-patterns": (
        ERROR,
        "{what} is used both as a decorator of {function} and with routes. Make two endpoints of it.",
    ),
    "client-as-decorator": (
        ERROR,
        "{what} has {mode}=..., so it is a client and runs no function of yours. "
        "Decorate {function} with an Endpoint(name=...) of its own.",
    ),
    "load-balanced-without-name": (ERROR, 'An endpoint with routes needs a name: write Endpoint(name="...", ...).'),
    "queue-scaler-with-routes": (
        ERROR,
        "scaler_type of {what} is QUEUE_DELAY, but an endpoint with routes has no queue; it takes REQUEST_COUNT.",
    ),
    "class-without-methods": (ERROR, "The class {function} has no public method that a job could call."),
    "constructor-arguments-missing": (
        WARNING,
        "{function} needs {parameters} to be made, and no call in the project gives it as a plain value: only calls "
        "that "
        "bring it along can be answered. Give it a default.",
    ),
    "constructor-conflict": (
        WARNING,
        "{function} is made with other arguments here than in {other_file} line {other_line}. A worker makes it once, "
        "with those of the first; a call with others makes it once more.",
    ),
    "constructor-unknown": (
        WARNING,
        "{parameter} of {function}(...) is not known when the app is built: {reason}. "
        "A worker makes it when the first call brings the argument along.",
    ),
    "concurrency-of-load-balanced": (
        WARNING,
        "max_concurrency of {what} has no effect: a worker with routes answers requests as they come.",
    ),
    "sync-concurrency": (
        WARNING,
        "{function} is not async, so its {count} jobs at once run in threads. Make sure that it is thread-safe.",
    ),
    # files and imports
    "syntax-error": (ERROR, "{reason} (read by Python {python})."),
    "unreadable-file": (ERROR, "The file cannot be read: {reason}."),
    "credentials-left-out": (
        WARNING,
        "Left out of the build, because such files hold credentials: {files}. Give workers their secrets with "
        "`drydock env set`.",
    ),
    "project-is-data-folder": (
        ERROR,
        "This folder is the data folder of a service (it holds {files}). Move the app into a folder of its own.",
    ),
    "link-leads-out": (
        ERROR,
        "{file} is a link that leads out of the project, to {target}. Copy the file here, name the link in "
        ".runpodignore, or build with --allow-links-to {folder}.",
    ),
    "symlinked-folder": (WARNING, "{file} is a link to a folder and is left out. Copy the folder into the project."),
    "peer-import": (
        ERROR,
        '{function} belongs to the endpoint "{name}" and is imported at the top of the file. '
        "Move the import into the body of the function that calls it.",
    ),
    "ignored-import": (
        ERROR,
        "{importer} imports {module}, but {ignored} is left out of the build by {pattern}. {way_out}",
    ),
    "guarded-ignored-import": (
        WARNING,
        "{importer} tries to import {module}, but {ignored} is left out of the build by {pattern}.",
    ),
    "name-of-older-package": (
        ERROR,
        "The package svc has no {name}. Write `from runpod_flash import {name}`, or use Endpoint instead.",
    ),
    "unresolvable-relative-import": (ERROR, "`{statement}` leads to no module: {reason}."),
    "neighbour-import": (
        WARNING,
        "`{statement}` does not find {module} on a worker, which looks for bare names at the top of the project and "
        "beside the files of endpoints. Import it as {module}.",
    ),
    "third-party-import": (
        WARNING,
        "{package} is imported at the top of the file, so each function of the file needs it on its worker. "
        "Move the import into the function that uses it.",
    ),
    "dynamic-import": (
        WARNING,
        "What {call} imports cannot be known when the app is built. Make sure that the module is part of the project.",
    ),
    "requirements-missing": (ERROR, "{text}: there is no file {target} in the project."),
}


class Problems:
    """The errors and warnings found so far, each once."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, int, str], dict[str, Any]] = {}

    def add(self, code: str, file: str, line: int, **data: Any) -> None:
        """Record a problem; `parameter` of the data is also a field of the result, for editors."""
        _, template = MESSAGES[code]
        message = template.format(**{"file": file, **data})
        found: dict[str, Any] = {"code": code, "message": message, "file": file, "line": line}
        if "parameter" in data:
            found["parameter"] = data["parameter"]
        self._found.setdefault((code, file, line, message), found)

    def of(self, level: str) -> list[dict[str, Any]]:
        """All of a level, by file and line."""
        chosen = [problem for problem in self._found.values() if MESSAGES[problem["code"]][0] == level]
        return sorted(chosen, key=lambda problem: (problem["file"], problem["line"], problem["code"]))

    def take(self, code: str) -> list[dict[str, Any]]:
        """Remove all with this code and return them, for a problem that says the same better."""
        taken = [key for key in self._found if key[0] == code]
        return [self._found.pop(key) for key in taken]
