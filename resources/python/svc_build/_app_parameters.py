"""What `@app.queue(...)`, `@app.api(...)` and `@app.task(...)` take. Values come out as the manifest of 2.0 has them.

Source: the package runpod 2.0, runpod/apps/app.py and spec.py; of names, workers and timeouts also the service's own
limits (contract/endpoint.ts).
"""

from __future__ import annotations

from typing import Any

from svc_build._app_values import model
from svc_build._catalog import APP_PACKAGE, ENUMS, IDLE_TIMEOUT_S
from svc_build._parameters import (
    VARIABLE,
    WEEK_MS,
    Check,
    ParameterTable,
    data_centers,
    flag,
    name_text,
    one_of,
    one_or_more_of,
    texts,
    whole,
    word,
)
from svc_build._symbols import Invalid

_GROUPS = ENUMS[f"{APP_PACKAGE}.GpuGroup"]
_CARDS = ENUMS[f"{APP_PACKAGE}.GpuType"]
_CPUS = list(ENUMS[f"{APP_PACKAGE}.CpuInstanceType"].values())

# Where workers of a queue or api find their one volume.
_ENDPOINT_MOUNT = "/runpod-volume"


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list) else [value]


def _gpus(value: Any) -> list[str]:
    """Groups and cards; a piece of a card's name, like "H100", stands for all cards with it."""
    return [name for item in _listed(value) for name in _cards_of(item)]


def _cards_of(item: Any) -> list[str]:
    text = item.strip().upper() if isinstance(item, str) else ""
    if text == "ANY":
        return ["any"]
    exact = [name for name in _GROUPS.values() if name.upper() == text]
    exact += [name for member, name in _CARDS.items() if text in (name.upper(), member)]
    piece = text.replace("_", " ")
    found = exact[:1] or [name for name in _CARDS.values() if piece and piece in name.upper() and name != "any"]
    if not found:
        raise Invalid(f'one or a list of {", ".join(_GROUPS.values())}, or a card like "4090" or "NVIDIA L4"')
    return found


def _cpus(value: Any) -> list[str]:
    return _listed(one_or_more_of(_CPUS, _CPUS)(value))


def _workers(value: Any) -> list[int]:
    """n means from 0 to n."""
    pair = [0, value] if type(value) is int else list(value) if isinstance(value, (list, tuple)) else []
    if len(pair) != 2 or any(type(item) is not int for item in pair) or not 0 <= pair[0] <= pair[1] <= 100:
        raise Invalid("a whole number n (0 to n workers) or a pair (least, most), with 0 <= least <= most <= 100")
    if pair[1] == 0:
        raise Invalid("at least one worker as the most")
    return pair


def _environment(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise Invalid("a dict")
    for name, content in value.items():
        if not isinstance(name, str) or VARIABLE.fullmatch(name) is None:
            raise Invalid(f"a dict whose keys are variable names, not {name!r}")
        if not isinstance(content, (str, int, float, bool)):
            raise Invalid(f"a dict of strings, numbers and Secret(...), and {name} is neither")
    return {name: str(content) for name, content in value.items()}


def _mounts_of_endpoint(value: Any) -> list[dict[str, str]]:
    mounts = _mounts(value)
    if mounts and [mount["path"] for mount in mounts] != [_ENDPOINT_MOUNT]:
        raise Invalid(f'one volume at its path: {{"{_ENDPOINT_MOUNT}": NetworkVolume(name)}}')
    return mounts


def _mounts(value: Any) -> list[dict[str, str]]:
    if not isinstance(value, dict):
        raise Invalid("a dict of paths and volumes")
    for path, volume in value.items():
        if not isinstance(path, str) or not path.startswith("/") or path.startswith("//") or ".." in path.split("/"):
            raise Invalid(f"a dict whose keys are absolute paths without .., not {path!r}")
        if not isinstance(volume, dict) or "reference" not in volume:
            raise Invalid(f"a dict of NetworkVolume(name) and GlobalVolume(name), and {path} has neither")
    kinds = [volume["kind"] for volume in value.values()]
    if len(set(kinds)) < len(kinds):
        raise Invalid("at most one network volume and one global volume")
    paths = [path.rstrip("/") or "/" for path in value]
    if any(one != other and f"{one}/".startswith(f"{other}/") for one in paths for other in paths):
        raise Invalid("paths of which none is inside another")
    return [{**volume, "path": path} for path, volume in zip(paths, value.values())]


def _scaler(value: Any) -> str:
    return str(one_of(["QUEUE_DELAY", "REQUEST_COUNT"])(value.strip().upper() if isinstance(value, str) else value))


_OF_ALL: dict[str, Check] = {
    "name": name_text,
    "gpu": _gpus,
    "cpu": _cpus,
    "gpu_count": whole(1, 64),
    "dependencies": texts,
    "system_dependencies": texts,
    "mounts": _mounts,
    "env": _environment,
    "datacenter": lambda value: _listed(data_centers(value)),
    "image": word,
    "registry_auth": word,
    "min_cuda_version": one_of(list(ENUMS["CudaVersion"].values())),
    "accelerate_downloads": flag,
    "container_disk_gb": whole(1, 10_000),
}
_OF_ENDPOINTS: dict[str, Check] = {
    **_OF_ALL,
    "workers": _workers,
    "idle_timeout": whole(*IDLE_TIMEOUT_S, " seconds"),
    "mounts": _mounts_of_endpoint,
    "model": model,
    "execution_timeout_ms": whole(0, WEEK_MS, " ms"),
    "flashboot": flag,
    "scaler_type": _scaler,
    "scaler_value": whole(1, 10_000),
}

_NEVER_NONE = {"gpu_count", "idle_timeout", "max_concurrency", "execution_timeout_ms", "flashboot", "scaler_value"} | {
    "accelerate_downloads"
}


def _table(checks: dict[str, Check]) -> ParameterTable:
    return ParameterTable(checks, frozenset(checks) - _NEVER_NONE)


# By the decorator, which is also the kind in the manifest of 2.0.
RESOURCES: dict[str, ParameterTable] = {
    "queue": _table({**_OF_ENDPOINTS, "max_concurrency": whole(1, 1000)}),
    "api": _table(_OF_ENDPOINTS),
    "task": _table(_OF_ALL),
}
