"""The names in the packages of apps, as data: enum members, records and the values they stand for.

The values are those of `svc/_values.py`, which is the one place where they are written. Names of the package `runpod`
2.0 (source: the package at 2.0.0rc2) have it before them, like `runpod.GpuType`: the older package has some of them
with other values.
"""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from svc_build._symbols import Refused


def _load_data(package: str, name: str) -> ModuleType:
    """A file that holds nothing but data, by its path: importing its package would cost more than a small scan."""
    path = Path(__file__).resolve().parents[1] / package / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"svc_build.{package}.{name}", path)
    assert spec is not None and spec.loader is not None, path
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_VALUES = _load_data("svc", "_values")
_OLDER = _load_data("runpod_flash", "_older_fields")

# Modules whose Endpoint is ours. Existing apps import the second one.
DECORATOR_MODULES = ("svc", "runpod_flash")
# The package whose App declares what is deployed.
APP_PACKAGE = "runpod"

PYTHON_VERSIONS: list[str] = list(_VALUES.PYTHON_VERSIONS)
IDLE_TIMEOUT_S: tuple[int, int] = _VALUES.IDLE_TIMEOUT_S
VOLUME_GB: tuple[int, int] = _VALUES.VOLUME_GB
_RESERVED: dict[str, Any] = json.loads(Path(__file__).with_name("reserved_variables.json").read_text("utf-8"))
RESERVED_VARIABLES: frozenset[str] = frozenset(_RESERVED["ofWorkers"] + _RESERVED["ofApps"])
RESERVED_TEXT: str = _RESERVED["refusal"]
RESERVED_PATHS: tuple[str, ...] = _VALUES.RESERVED_PATHS
ROUTE_METHODS: tuple[str, ...] = tuple(map(str.lower, _VALUES.HTTP_METHODS))


class OlderResource(NamedTuple):
    """The meaning of a class of the public tool's older interface."""

    is_cpu: bool
    is_load_balanced: bool


OLDER_RESOURCES = {
    "LiveServerless": OlderResource(False, False),
    "ServerlessEndpoint": OlderResource(False, False),
    "CpuLiveServerless": OlderResource(True, False),
    "CpuServerlessEndpoint": OlderResource(True, False),
    "LiveLoadBalancer": OlderResource(False, True),
    "LoadBalancerSlsResource": OlderResource(False, True),
    "CpuLiveLoadBalancer": OlderResource(True, True),
    "CpuLoadBalancerSlsResource": OlderResource(True, True),
}
# Their fields -> parameters of Endpoint.
OLDER_FIELDS: dict[str, str] = _OLDER.PARAMETERS
OLDER_DEFAULT_CPU: str = _OLDER.DEFAULT_CPU
# Names that only the public tool's package has.
OLDER_NAMES = frozenset({"CPU_DATACENTERS", "remote", *OLDER_RESOURCES})

# Names that `from runpod import *` binds, as far as the scanner reads them.
_APP_NAMES = {
    "App",
    "CpuInstanceType",
    "DataCenter",
    "GlobalVolume",
    "GpuGroup",
    "GpuType",
    "Model",
    "NetworkVolume",
    "Secret",
    "init",
    "schedule",
    *ROUTE_METHODS,
}

# Cards that only this package names; each stands behind the one that comes first.
_FURTHER_CARDS = {
    "NVIDIA_H100_80GB_HBM3": {"NVIDIA_H100_PCIe": "NVIDIA H100 PCIe", "NVIDIA_H100_NVL": "NVIDIA H100 NVL"},
}

# Each enum as its members' names and values.
ENUMS: dict[str, dict[str, str]] = {
    name: {member: str(found.value) for member, found in getattr(_VALUES, name).__members__.items()}
    for name in ("GpuGroup", "GpuType", "CpuInstanceType", "DataCenter", "ServerlessScalerType", "CudaVersion")
}


# The same of the package of apps, with the cards that only it has.
_APP_ENUMS = {f"{APP_PACKAGE}.{name}": dict(ENUMS[name]) for name in _APP_NAMES if name in ENUMS}
_APP_ENUMS[f"{APP_PACKAGE}.GpuType"] = {
    name: value
    for member, found in ENUMS["GpuType"].items()
    for name, value in {member: found, **_FURTHER_CARDS.get(member, {})}.items()
}
ENUMS.update(_APP_ENUMS)

# As Enum.all() of the public tool returns them.
ALL_MEMBERS: dict[str, list[str]] = {
    name: [str(member.value) for member in getattr(_VALUES, name).all()]
    for name in ("GpuGroup", "GpuType", "DataCenter")
}
for name, members in _APP_ENUMS.items():
    ALL_MEMBERS[name] = [value for value in members.values() if value != "any"]

# Fields of the records that a parameter may hold, in their order.
RECORDS: dict[str, tuple[str, ...]] = {
    "NetworkVolume": ("name", "id", "size", "datacenter", "dataCenterId"),
    "PodTemplate": (
        "name",
        "advancedStart",
        "config",
        "containerDiskInGb",
        "containerRegistryAuthId",
        "dockerArgs",
        "env",
        "imageName",
        "ports",
        "startScript",
    ),
    "KeyValuePair": ("key", "value"),
}

# Names that `from svc import *` and `from runpod_flash import *` bind.
SDK_NAMES: dict[str, set[str]] = {
    "svc": {"Endpoint", *ENUMS, *RECORDS},
    "runpod_flash": {"Endpoint", *ENUMS, *RECORDS, *OLDER_NAMES},
    APP_PACKAGE: _APP_NAMES,
}

_SECRET = re.compile(r"[A-Za-z0-9_.-]+")
_MODEL = re.compile(r"[\w.-]+/[\w.-]+(?::.+)?")


def secret(name: Any) -> str:
    """The text that the service replaces when a worker starts."""
    if not isinstance(name, str) or not _SECRET.fullmatch(name):
        raise Refused(
            f"invalid secret name '{name}': letters, digits, underscores, dots, and dashes only"
            if isinstance(name, str) and name
            else "secret name must be a non-empty string"
        )
    return f"{{{{ RUNPOD_SECRET_{name} }}}}"


def model(reference: Any) -> str:
    """`owner/name`, perhaps with `:revision`."""
    if not isinstance(reference, str) or not reference:
        raise Refused("model reference must be a non-empty string")
    if not _MODEL.fullmatch(reference):
        raise Refused(f"invalid model reference '{reference}': expected 'owner/name' or 'owner/name:revision'")
    return reference


def network_volume(name: Any, *, size: Any = None, datacenter: Any = None, create: Any = None) -> dict[str, Any]:
    """Size and place say how the platform makes it; here it is a folder."""
    return _volume("network", name)


def global_volume(name: Any, *, create: Any = None) -> dict[str, Any]:
    return _volume("global", name)


def _volume(kind: str, name: Any) -> dict[str, Any]:
    if not isinstance(name, str) or not name.strip():
        raise Refused("volume reference must be a non-empty string")
    return {"kind": kind, "reference": name}


# Calls of records of the package `runpod` -> their values.
APP_RECORDS: dict[str, Callable[..., Any]] = {
    f"{APP_PACKAGE}.Secret": secret,
    f"{APP_PACKAGE}.Model": model,
    f"{APP_PACKAGE}.NetworkVolume": network_volume,
    f"{APP_PACKAGE}.GlobalVolume": global_volume,
}
