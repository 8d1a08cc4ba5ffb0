"""The parameters of `Endpoint(...)`, `@app.queue(...)`, `@app.api(...)` and `@app.task(...)`.

A check returns the value as it goes into the document, or raises Invalid; those of an App give it as
the manifest of 2.0 has it.

Source of the limits: docs/spec/app-deploy.md, 2; of an App: the package runpod 2.0, runpod/apps/app.py and spec.py; of
names, workers and timeouts: the service's own (contract/endpoint.ts).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from types import MappingProxyType
from typing import Any, NamedTuple

from svc_build._catalog import (
    APP_PACKAGE,
    ENUMS,
    IDLE_TIMEOUT_S,
    OLDER_FIELDS,
    PYTHON_VERSIONS,
    RECORDS,
    RESERVED_TEXT,
    RESERVED_VARIABLES,
    VOLUME_GB,
    model,
)
from svc_build._symbols import Invalid, Refused

Check = Callable[[Any], Any]

_ALL = {name: list(members.values()) for name, members in ENUMS.items()}
_GROUPS = ENUMS[f"{APP_PACKAGE}.GpuGroup"]
_CARDS = ENUMS[f"{APP_PACKAGE}.GpuType"]
# Where workers of a queue or api find their one volume.
_ENDPOINT_MOUNT = "/runpod-volume"

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_WEEK_MS = 7 * 24 * 3600 * 1000


def whole(low: int, high: int, unit: str = "") -> Check:
    def check(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise Invalid(f"a whole number from {low} to {high}{unit}")
        return value

    return check


def _timeout(value: Any) -> int:
    # 0: no limit of its own. 5000 ms is the least that the service keeps.
    if type(value) is not int or not (value == 0 or 5000 <= value <= _WEEK_MS):
        raise Invalid(f"0 (no limit) or a whole number from 5000 to {_WEEK_MS} ms")
    return value


def name_text(value: Any) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= 100 or value != value.strip() or not value.isprintable():
        raise Invalid("a string of 1 to 100 printable characters without spaces at its ends")
    return value


def word(value: Any) -> str:
    if not isinstance(value, str) or not value or any(character.isspace() for character in value):
        raise Invalid("a string without spaces")
    return value


def flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise Invalid("True or False")
    return value


def one_of(values: list[str]) -> Check:
    def check(value: Any) -> str:
        if value not in values:
            raise Invalid(f"one of {', '.join(values)}")
        return str(value)

    return check


def one_or_more_of(values: list[str], listed: list[str] | None = None) -> Check:
    """One value or a list; `listed` are those named in the message, if not all."""

    def check(value: Any) -> str | list[str]:
        chosen = list(value) if isinstance(value, (list, tuple, set)) else [value]
        if not chosen or not all(isinstance(item, str) and item in values for item in chosen):
            wrong = next((item for item in chosen if item not in values), None)
            which = f", not {wrong!r}" if isinstance(value, (list, tuple, set)) and chosen else ""
            raise Invalid(f"one or a list of {', '.join(listed or values)}{which}")
        return chosen[0] if isinstance(value, str) else sorted(chosen) if isinstance(value, set) else chosen

    return check


def data_centers(value: Any) -> str | list[str]:
    def normal(item: Any) -> Any:
        return item.strip().upper().replace("_", "-") if isinstance(item, str) else item

    normalised = [normal(item) for item in value] if isinstance(value, (list, tuple)) else normal(value)
    result: str | list[str] = one_or_more_of(_ALL["DataCenter"])(normalised)
    return result


def _pair(value: Any) -> list[int] | None:
    """n means from 0 to n."""
    pair = [0, value] if type(value) is int else list(value) if isinstance(value, (list, tuple)) else []
    return None if len(pair) != 2 or any(type(item) is not int for item in pair) else pair


def _workers(value: Any) -> list[int]:
    pair = _pair(value)
    if pair is None or not 0 <= pair[0] <= pair[1] <= 100:
        raise Invalid("a whole number n (0 to n workers) or a pair (least, most), with 0 <= least <= most <= 100")
    return pair


def texts(value: Any) -> list[str]:
    items = list(value) if isinstance(value, (list, tuple)) else None
    if items is None or not all(isinstance(item, str) and item.strip() for item in items):
        raise Invalid("a list of non-empty strings")
    return items


def _refuse_reserved(name: str) -> None:
    if name in RESERVED_VARIABLES or name.startswith("SVC_"):
        raise Refused(f"env.{name}: {RESERVED_TEXT}.")


def _environment(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise Invalid("a dict of strings")
    for name, content in value.items():
        if not isinstance(name, str) or _VARIABLE.fullmatch(name) is None:
            raise Invalid(f"a dict of strings whose keys are variable names, not {name!r}")
        _refuse_reserved(name)
        if not isinstance(content, str):
            raise Invalid(f'a dict of strings: write "{name}": "{content}"')
    return value


def _volume(value: Any) -> dict[str, Any] | list[dict[str, Any]]:
    volumes = list(value) if isinstance(value, (list, tuple)) else [value]
    if not volumes or not all(isinstance(volume, dict) for volume in volumes):
        raise Invalid('NetworkVolume(name="...", size=GB) or a list of them')
    for volume in volumes:
        if any(field not in RECORDS["NetworkVolume"] for field in volume):
            raise Invalid("NetworkVolume(...) or a list of them")
        if not volume.get("name") and not volume.get("id"):
            raise Invalid("a NetworkVolume with a name or an id")
        size = volume.get("size")
        if size is not None and (type(size) is not int or not VOLUME_GB[0] <= size <= VOLUME_GB[1]):
            raise Invalid(f"a NetworkVolume with a size from {VOLUME_GB[0]} to {VOLUME_GB[1]} GB")
        center = volume.pop("dataCenterId", None) or volume.get("datacenter")
        if center is not None:
            volume["datacenter"] = data_centers(center)
    return volumes if isinstance(value, (list, tuple)) else volumes[0]


def _template(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or any(field not in RECORDS["PodTemplate"] for field in value):
        raise Invalid(f"PodTemplate(...) with the fields {', '.join(RECORDS['PodTemplate'])}")
    return value


def _python_version(value: Any) -> str:
    if isinstance(value, float):
        raise Invalid(f'a string: write "{value}" in quotes')
    return str(one_of(PYTHON_VERSIONS)(value))


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
    if not found and not isinstance(item, str):
        raise Refused(f"gpu must be a GpuGroup, GpuType, or string, got {type(item).__name__}")
    if not found:
        pools, cards = (", ".join(name for name in names.values() if name != "any") for names in (_GROUPS, _CARDS))
        raise Refused(
            f"unknown gpu '{item}'. use a pool id ({pools}), a device name ({cards}), "
            "or a fragment like '4090' or 'H100'"
        )
    return found


def _some_workers(value: Any) -> list[int]:
    pair = _pair(value)
    if pair is None:
        raise Refused(f"workers must be an int or (min, max) tuple, got {value!r}")
    if pair[0] < 0 or pair[1] < 1:
        raise Refused(f"invalid worker range ({pair[0]}, {pair[1]})")
    if pair[0] > pair[1]:
        raise Refused(f"workers min ({pair[0]}) cannot exceed max ({pair[1]})")
    return _workers(value)


def _at_least(parameter: str, low: int, check: Check, shows_value: bool = False) -> Check:
    def checked(value: Any) -> Any:
        if type(value) is int and value < low:
            got = f", got {value}" if shows_value else ""
            raise Refused(f"{parameter} must be >= {low}{got}", names_resource=True)
        return check(value)

    return checked


def _resource_name(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise Refused("resource name must be a non-empty string")
    return name_text(value)


def _cpus(value: Any) -> list[Any]:
    if not isinstance(value, (str, list)):
        raise Refused(f"cpu must be an instance id string or list, got {type(value).__name__}")
    items = _listed(value)
    if not items or any(not isinstance(item, str) or not item.strip() for item in items):
        raise Refused("cpu must contain non-empty instance ids")
    return _listed(one_or_more_of(_ALL[f"{APP_PACKAGE}.CpuInstanceType"])(value))


def _centers(value: Any) -> list[Any]:
    try:
        return _listed(data_centers(value))
    except Invalid:
        raise Refused(f"invalid datacenter: {value!r}") from None


def _cuda_version(value: Any) -> str:
    version = str(value).strip()
    if version not in _ALL["CudaVersion"]:
        raise Refused(f"min_cuda_version must be one of {', '.join(sorted(_ALL['CudaVersion']))}, got {value!r}")
    return version


def cron(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise Refused("cron must be a non-empty string")
    return value


def _plain_environment(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise Invalid("a dict")
    for name, content in value.items():
        if not isinstance(name, str) or _VARIABLE.fullmatch(name) is None:
            raise Invalid(f"a dict whose keys are variable names, not {name!r}")
        _refuse_reserved(name)
        if not isinstance(content, (str, int, float, bool)):
            raise Invalid(f"a dict of strings, numbers and Secret(...), and {name} is neither")
    return {name: str(content) for name, content in value.items()}


def _mounts_of_endpoint(value: Any) -> list[dict[str, str]]:
    mounts = _mounts(value)
    if mounts and [mount["path"] for mount in mounts] != [_ENDPOINT_MOUNT]:
        raise Refused(f"endpoints support one volume mounted at {_ENDPOINT_MOUNT}")
    return mounts


def _mounts(value: Any) -> list[dict[str, str]]:
    if not isinstance(value, dict):
        raise Refused("mounts must map absolute paths to volume objects")
    mounts: dict[str, dict[str, str]] = {}
    for given, volume in value.items():
        path = _mount_path(given)
        if not isinstance(volume, dict) or "reference" not in volume:
            raise Refused("mounts require NetworkVolume or GlobalVolume references")
        if path in mounts:
            raise Refused(f"duplicate mount path {path!r}")
        mounts[path] = {**volume, "path": path}
    paths = [PurePosixPath(path) for path in mounts]
    if any(one != other and one.is_relative_to(other) for one in paths for other in paths):
        raise Refused("mount paths must not overlap")
    kinds = [mount["kind"] for mount in mounts.values()]
    for kind in ("network", "global"):
        if kinds.count(kind) > 1:
            raise Refused(f"resources support at most one {kind} volume")
    return list(mounts.values())


def _mount_path(path: Any) -> str:
    is_text = isinstance(path, str) and path.startswith("/") and not path.startswith("//") and "\0" not in path
    if not is_text or ".." in PurePosixPath(path).parts:
        raise Refused("mount paths must be absolute paths without '..'")
    return str(PurePosixPath(path))


def _scaler(value: Any) -> str:
    scaler = str(value).strip().upper()
    if scaler not in _ALL["ServerlessScalerType"]:
        raise Refused(f"scaler_type must be one of {sorted(_ALL['ServerlessScalerType'])}, got {value!r}")
    return scaler


class ParameterTable(NamedTuple):
    """The parameters of a call, and their checks.

    `position`: the parameter that may come without its name. `older`: names of older forms, for the hint. `function`:
    what Python calls a decorator of an App in its own errors.
    """

    checks: dict[str, Check]
    position: str | None = None
    function: str = ""
    older: Mapping[str, str] = MappingProxyType({})


# Of all others None is the default, so that writing it says nothing.
NEVER_NONE = {"gpu_count", "idle_timeout", "max_concurrency", "execution_timeout_ms", "flashboot", "scaler_value"} | {
    "accelerate_downloads"
}

# In the order of the specification.
ENDPOINT = ParameterTable(
    {
        "name": name_text,
        "id": word,
        "gpu": one_or_more_of(_ALL["GpuGroup"] + _ALL["GpuType"], [*_ALL["GpuGroup"], "a card's name like NVIDIA L4"]),
        "cpu": one_or_more_of(_ALL["CpuInstanceType"]),
        "workers": _workers,
        "idle_timeout": whole(*IDLE_TIMEOUT_S, " seconds"),
        "dependencies": texts,
        "system_dependencies": texts,
        "env": _environment,
        "volume": _volume,
        "image": word,
        "gpu_count": whole(1, 64),
        "execution_timeout_ms": _timeout,
        "scaler_type": one_of(_ALL["ServerlessScalerType"]),
        "scaler_value": whole(1, 10_000),
        "max_concurrency": whole(1, 1000),
        "min_cuda_version": one_of(_ALL["CudaVersion"]),
        "template": _template,
        "flashboot": flag,
        "datacenter": data_centers,
        "python_version": _python_version,
        "accelerate_downloads": flag,
    },
    position="name",
    # Fields of the public tool's older classes, for the hint after an unknown parameter.
    older={**OLDER_FIELDS, "workersMin": "workers", "workersMax": "workers", "imageName": "image"},
)

_OF_ALL: dict[str, Check] = {
    "name": _resource_name,
    "gpu": _gpus,
    "cpu": _cpus,
    "gpu_count": _at_least("gpu_count", 1, whole(1, 64)),
    "dependencies": texts,
    "system_dependencies": texts,
    "mounts": _mounts,
    "env": _plain_environment,
    "datacenter": _centers,
    "image": word,
    "registry_auth": word,
    "min_cuda_version": _cuda_version,
    "accelerate_downloads": flag,
    "container_disk_gb": _at_least("container_disk_gb", 1, whole(1, 10_000)),
}
_OF_ENDPOINTS: dict[str, Check] = {
    **_OF_ALL,
    "workers": _some_workers,
    "idle_timeout": whole(*IDLE_TIMEOUT_S, " seconds"),
    "mounts": _mounts_of_endpoint,
    "model": model,
    "execution_timeout_ms": _at_least("execution_timeout_ms", 0, whole(0, _WEEK_MS, " ms")),
    "flashboot": flag,
    "scaler_type": _scaler,
    "scaler_value": _at_least("scaler_value", 1, whole(1, 10_000)),
}
_CONCURRENCY = _at_least("max_concurrency", 1, whole(1, 1000), shows_value=True)

# By the decorator, which is also the kind in the manifest of 2.0.
APP_RESOURCES: dict[str, ParameterTable] = {
    "queue": ParameterTable({**_OF_ENDPOINTS, "max_concurrency": _CONCURRENCY}, function="App.queue"),
    "api": ParameterTable(_OF_ENDPOINTS, function="App.api"),
    "task": ParameterTable(_OF_ALL, function="App.task"),
}
