"""What the packages of apps offer by name, as data: enum members, records and the values they stand for.

The values are those of `svc/_values.py`, which is the one place where they are written. Names of the package `runpod`
2.0 have it before them, like `runpod.GpuType`.
"""

from __future__ import annotations

from svc_build import _app_values
from svc_build._data_files import load_data
from svc_build._older_api import RESOURCES

# Modules whose Endpoint is ours. Existing apps import the second one.
DECORATOR_MODULES = ("svc", "runpod_flash")
# The package whose App declares what is deployed.
APP_PACKAGE = _app_values.PACKAGE

_VALUES = load_data("svc", "_values")

PYTHON_VERSIONS: list[str] = list(_VALUES.PYTHON_VERSIONS)
IDLE_TIMEOUT_S: tuple[int, int] = _VALUES.IDLE_TIMEOUT_S
VOLUME_GB: tuple[int, int] = _VALUES.VOLUME_GB

# Each enum as its members' names and values.
ENUMS: dict[str, dict[str, str]] = {
    name: {member: str(found.value) for member, found in getattr(_VALUES, name).__members__.items()}
    for name in ("GpuGroup", "GpuType", "CpuInstanceType", "DataCenter", "ServerlessScalerType", "CudaVersion")
}



def _of_app_package() -> dict[str, dict[str, str]]:
    """The enums of the same names in the package of apps, with the cards that only it has."""
    found = {f"{APP_PACKAGE}.{name}": dict(ENUMS[name]) for name in _app_values.NAMES if name in ENUMS}
    cards: dict[str, str] = {}
    for name, value in ENUMS["GpuType"].items():
        cards.update({name: value, **_app_values.FURTHER_CARDS.get(name, {})})
    return {**found, f"{APP_PACKAGE}.GpuType": cards}


ENUMS.update(_of_app_package())

# What Enum.all() of the public tool returns.
ALL_MEMBERS: dict[str, list[str]] = {
    name: [str(member.value) for member in getattr(_VALUES, name).all()]
    for name in ("GpuGroup", "GpuType", "DataCenter")
}
ALL_MEMBERS.update(
    {
        name: [value for value in members.values() if value != "any"]
        for name, members in ENUMS.items()
        if name.startswith(f"{APP_PACKAGE}.")
    }
)

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

# What only the public tool's package has.
OLDER_NAMES = frozenset({"CPU_DATACENTERS", "remote", *RESOURCES})

# What `from svc import *` and `from runpod_flash import *` bind.
SDK_NAMES: dict[str, frozenset[str]] = {
    "svc": frozenset({"Endpoint", *ENUMS, *RECORDS}),
    "runpod_flash": frozenset({"Endpoint", *ENUMS, *RECORDS}) | OLDER_NAMES,
    APP_PACKAGE: _app_values.NAMES,
}

ROUTE_METHODS = ("get", "post", "put", "delete", "patch")
RESERVED_PATHS: tuple[str, ...] = _VALUES.RESERVED_PATHS
