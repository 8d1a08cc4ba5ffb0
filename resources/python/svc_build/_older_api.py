"""The public tool's older way to write an endpoint: `LiveServerless(name=..., gpus=[...])` and `@remote(resource)`.

Read as the `Endpoint(...)` that it means; `runpod_flash/_remote.py` does the same on a worker.
"""

from __future__ import annotations

import ast

from svc_build._catalog import OLDER_DEFAULT_CPU, OLDER_FIELDS, OLDER_RESOURCES

# Arguments of `remote` that are parameters of Endpoint.
_SHARED = ("dependencies", "system_dependencies", "accelerate_downloads")


def as_endpoint(call: ast.Call, name: str) -> ast.Call:
    """The `Endpoint(...)` call that a call of a resource class means."""
    given = {word.arg: word for word in call.keywords}
    words = [_keyword(OLDER_FIELDS[word.arg], word.value, word) for word in call.keywords if word.arg in OLDER_FIELDS]
    if OLDER_RESOURCES[name].is_cpu:
        words = [word for word in words if word.arg != "gpu"]
        if "instanceIds" not in given:
            words.append(_keyword("cpu", ast.Constant(OLDER_DEFAULT_CPU), call))
    if "workersMin" in given or "workersMax" in given:
        least = given["workersMin"].value if "workersMin" in given else ast.Constant(0)
        most = given["workersMax"].value if "workersMax" in given else ast.Constant(1)
        words.append(_keyword("workers", ast.Tuple([least, most], ast.Load()), call))
    return _call(call, [], words)


def shared_arguments(call: ast.Call) -> ast.Call:
    """An `Endpoint(...)` call with those arguments of `remote(...)` that Endpoint has too."""
    return _call(call, [], [word for word in call.keywords if word.arg in _SHARED])


def argument(call: ast.Call, name: str) -> ast.expr | None:
    """An argument of `remote(...)`; only the resource may come without its name."""
    for word in call.keywords:
        if word.arg == name:
            return word.value
    return call.args[0] if name == "resource_config" and call.args else None


def route_call(call: ast.Call, path: ast.expr) -> ast.Call:
    """`api.post(path)` for `remote(api, method="POST", path=path)`."""
    return _call(call, [path], [])


def _call(call: ast.Call, arguments: list[ast.expr], words: list[ast.keyword]) -> ast.Call:
    return ast.copy_location(ast.Call(call.func, arguments, words), call)


def _keyword(name: str, value: ast.expr, place: ast.AST) -> ast.keyword:
    return ast.fix_missing_locations(ast.copy_location(ast.keyword(name, value), place))
