"""Writes one handler file for each endpoint with functions.

A file only calls the runtime with texts, so that no name of the user's can break it: the function is imported by its
module's name, which need not be an identifier.
"""

from __future__ import annotations

import os
import re
from typing import Any

# By which an older handler file is known, so that it may be removed.
_HEADER = "# Written by the build; changes are lost.\n"

_UNSAFE = re.compile(r"[^A-Za-z0-9_-]+")


def write_handlers(document: dict[str, Any], folder: str) -> None:
    """Write the files and note their names as `handlerFile`. Those of an earlier build that are not needed go."""
    os.makedirs(folder, exist_ok=True)
    taken = _taken(document["files"])
    written: set[str] = set()
    for endpoint in document["endpoints"]:
        # svc_runtime runs the resources of an App, and finds them by the manifest.
        if endpoint["functions"] and "sdk" not in endpoint:
            name = _file_name(endpoint["name"], taken)
            taken.add(name.lower())
            written.add(name)
            _write(os.path.join(folder, name), handler_source(endpoint))
            endpoint["handlerFile"] = name
    for name in sorted(os.listdir(folder)):
        if name.startswith("handler_") and name.endswith(".py") and name not in written:
            if _is_ours(os.path.join(folder, name)):
                os.remove(os.path.join(folder, name))


def handler_source(endpoint: dict[str, Any]) -> str:
    """The text of an endpoint's handler file: in ASCII, so that it reads the same whatever the worker's encoding is."""
    name, functions = endpoint["name"], endpoint["functions"]
    if endpoint["kind"] == "load-balanced":
        routes = "".join(
            f"        ({ascii(f['httpMethod'])}, {ascii(f['httpPath'])}, {ascii(f['module'])}, {ascii(f['name'])}),\n"
            for f in functions
        )
        return (
            f"{_HEADER}from svc.runtime import load_balanced\n\n"
            f"app = load_balanced(\n    [\n{routes}    ],\n    endpoint={ascii(name)},\n)\n\n"
            'if __name__ == "__main__":\n    app.serve()\n'
        )
    function = functions[0]
    maker = "queue_class" if function["isClass"] else "queue_function"
    arguments = f"{ascii(function['module'])}, {ascii(function['name'])}, endpoint={ascii(name)}"
    if function["isClass"]:
        arguments += f", constructor={ascii(function['constructor']['kwargs'])}"
    source = f"{_HEADER}from svc.runtime import {maker}\n\nhandler = {maker}({arguments})\n"
    concurrency = endpoint["settings"].get("max_concurrency", 1)
    if concurrency > 1:
        source += f'config = {{"concurrency": {concurrency}}}\n'
    return source


def _taken(files: list[str]) -> set[str]:
    """Names that would hide a module of the project: a worker imports from every folder that holds endpoints."""
    parts = {part.lower() for file in files for part in file.split("/")}
    return parts | {f"{part}.py" for part in parts}


def _file_name(endpoint: str, taken: set[str]) -> str:
    """Unique in the whole project, even on case-insensitive file systems."""
    safe = _UNSAFE.sub("_", endpoint).strip("_") or "endpoint"
    name, count = f"handler_{safe}.py", 1
    while name.lower() in taken:
        count += 1
        name = f"handler_{safe}_{count}.py"
    return name


def _write(path: str, source: str) -> None:
    # Written to a second file first, so that a worker never reads an incomplete one.
    with open(f"{path}.new", "w", encoding="ascii", newline="\n") as opened:
        opened.write(source)
    os.replace(f"{path}.new", path)


def _is_ours(path: str) -> bool:
    with open(path, "rb") as opened:
        return opened.read(len(_HEADER)) == _HEADER.encode()
