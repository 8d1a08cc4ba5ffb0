"""What the package `runpod` 2.0 offers to `App` programs, as data: its names, and what its records are when deployed.

Names stand in the catalog with the package before them, as the older package has some of them with other values.
source: the package at 2.0.0rc2; resources/python/svc_runtime runs what comes of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from svc_build._symbols import Invalid

PACKAGE = "runpod"

# Decorators of methods of an api, by the HTTP method that they stand for.
ROUTE_MARKERS = {name: name.upper() for name in ("get", "post", "put", "patch", "delete")}

# What `from runpod import *` binds, as far as the scanner reads it.
NAMES = frozenset(
    [
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
        *ROUTE_MARKERS,
    ]
)

# Cards that only this package names; each stands behind the one that comes first.
FURTHER_CARDS = {
    "NVIDIA_H100_80GB_HBM3": {"NVIDIA_H100_PCIe": "NVIDIA H100 PCIe", "NVIDIA_H100_NVL": "NVIDIA H100 NVL"},
}

_SECRET = re.compile(r"[A-Za-z0-9_.-]+")
_MODEL = re.compile(r"[\w.-]+/[\w.-]+(?::.+)?")


def secret(name: Any) -> str:
    """The text that the service replaces when a worker starts."""
    if not isinstance(name, str) or not _SECRET.fullmatch(name):
        raise Invalid("Secret(name) with letters, digits, underscores, dots and hyphens")
    return f"{{{{ RUNPOD_SECRET_{name} }}}}"


def model(reference: Any) -> str:
    """`owner/name`, perhaps with `:revision`."""
    if not isinstance(reference, str) or not _MODEL.fullmatch(reference):
        raise Invalid('a model like "owner/name" or "owner/name:revision"')
    return reference


def network_volume(name: Any, *, size: Any = None, datacenter: Any = None, create: Any = None) -> dict[str, Any]:
    """Size and place say how the platform makes it; here it is a folder."""
    return _volume("network", name)


def global_volume(name: Any, *, create: Any = None) -> dict[str, Any]:
    return _volume("global", name)


def _volume(kind: str, name: Any) -> dict[str, Any]:
    if not isinstance(name, str) or not name.strip():
        raise Invalid("a volume with a name or an id")
    return {"kind": kind, "reference": name}


# What a call of each is as a value.
RECORDS: dict[str, Callable[..., Any]] = {
    f"{PACKAGE}.Secret": secret,
    f"{PACKAGE}.Model": model,
    f"{PACKAGE}.NetworkVolume": network_volume,
    f"{PACKAGE}.GlobalVolume": global_volume,
}
