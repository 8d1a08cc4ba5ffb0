"""What each parameter of Endpoint takes. A check returns the value as it goes into the document, or raises Invalid.

Source of the limits: docs/spec/app-deploy.md, 2; of names, workers and timeouts: the service's own (contract/endpoint.ts).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from svc_build._catalog import ENUMS, IDLE_TIMEOUT_S, PYTHON_VERSIONS, RECORDS, VOLUME_GB
from svc_build._older_api import FIELDS
from svc_build._symbols import Invalid

Check = Callable[[Any], Any]

_ALL = {name: list(members.values()) for name, members in ENUMS.items()}

VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
WEEK_MS = 7 * 24 * 3600 * 1000


def whole(low: int, high: int, unit: str = "") -> Check:
    def check(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise Invalid(f"a whole number from {low} to {high}{unit}")
        return value

    return check


def _timeout(value: Any) -> int:
    # 0: no limit of its own. 5000 ms is the least that the service keeps.
    if type(value) is not int or not (value == 0 or 5000 <= value <= WEEK_MS):
        raise Invalid(f"0 (no limit) or a whole number from 5000 to {WEEK_MS} ms")
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


def one_or_more_of(values: list[str], listed: list[str]) -> Check:
    """One value or a list; `listed` are those named in the message."""

    def check(value: Any) -> str | list[str]:
        chosen = list(value) if isinstance(value, (list, tuple, set)) else [value]
        if not chosen or not all(isinstance(item, str) and item in values for item in chosen):
            wrong = next((item for item in chosen if item not in values), None)
            which = f", not {wrong!r}" if isinstance(value, (list, tuple, set)) and chosen else ""
            raise Invalid(f"one or a list of {', '.join(listed)}{which}")
        return chosen[0] if isinstance(value, str) else sorted(chosen) if isinstance(value, set) else chosen

    return check


def data_centers(value: Any) -> str | list[str]:
    def normal(item: Any) -> Any:
        return item.strip().upper().replace("_", "-") if isinstance(item, str) else item

    normalised = [normal(item) for item in value] if isinstance(value, (list, tuple)) else normal(value)
    result: str | list[str] = one_or_more_of(_ALL["DataCenter"], _ALL["DataCenter"])(normalised)
    return result


def _workers(value: Any) -> list[int]:
    """Written as a pair in any case: n means from 0 to n."""
    pair = [0, value] if type(value) is int else list(value) if isinstance(value, (list, tuple)) else []
    if len(pair) != 2 or any(type(item) is not int for item in pair) or not 0 <= pair[0] <= pair[1] <= 100:
        raise Invalid("a whole number n (0 to n workers) or a pair (least, most), with 0 <= least <= most <= 100")
    return pair


def texts(value: Any) -> list[str]:
    items = list(value) if isinstance(value, (list, tuple)) else None
    if items is None or not all(isinstance(item, str) and item.strip() for item in items):
        raise Invalid("a list of non-empty strings")
    return items


def _environment(value: Any) -> dict[str, str]:
    if not isinstance(value, dict):
        raise Invalid("a dict of strings")
    for name, content in value.items():
        if not isinstance(name, str) or VARIABLE.fullmatch(name) is None:
            raise Invalid(f"a dict of strings whose keys are variable names, not {name!r}")
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


class ParameterTable(NamedTuple):
    """What a call takes: checks by name, and those of which None is the default, so that writing it says nothing.

    `position`: the parameter that may come without its name. `older`: names of older forms, for the hint.
    """

    checks: dict[str, Check]
    none_allowed: frozenset[str]
    position: str | None = None
    older: Mapping[str, str] = MappingProxyType({})


# In the order of the specification.
_CHECKS: dict[str, Check] = {
    "name": name_text,
    "id": word,
    "gpu": one_or_more_of(_ALL["GpuGroup"] + _ALL["GpuType"], [*_ALL["GpuGroup"], "a card's name like NVIDIA L4"]),
    "cpu": one_or_more_of(_ALL["CpuInstanceType"], _ALL["CpuInstanceType"]),
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
}

_NONE_ALLOWED = frozenset(
    [
        "name",
        "id",
        "gpu",
        "cpu",
        "workers",
        "dependencies",
        "system_dependencies",
        "env",
        "volume",
        "image",
        "scaler_type",
        "min_cuda_version",
        "template",
        "datacenter",
        "python_version",
    ]
)

# Fields of the public tool's older classes, for the hint after an unknown parameter.
_OLDER_NAMES = {**FIELDS, "workersMin": "workers", "workersMax": "workers", "imageName": "image"}

ENDPOINT = ParameterTable(_CHECKS, _NONE_ALLOWED, "name", _OLDER_NAMES)
