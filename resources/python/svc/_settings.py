"""The checked settings of one endpoint, as wire values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from svc._check import Checked, Rule, flag, text, texts, whole_number
from svc._resources import NetworkVolume, PodTemplate
from svc._values import (
    IDLE_TIMEOUT_S,
    PYTHON_VERSIONS,
    CpuInstanceType,
    CudaVersion,
    DataCenter,
    GpuGroup,
    GpuType,
    ServerlessScalerType,
)

_SCALER_OF = {True: ServerlessScalerType.REQUEST_COUNT.value, False: ServerlessScalerType.QUEUE_DELAY.value}


class EndpointSettings:
    """The checked arguments of `Endpoint(...)`. Raises ValueError for the first wrong value."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        if given["gpu"] is None and given["cpu"] is None:
            # No hardware named means any GPU, as in the public tool. source: the public tool.
            given = {**given, "gpu": GpuGroup.ANY}
        checked = Checked("Endpoint", given)
        self.name = checked.optional("name", text)
        self.id = checked.optional("id", text)
        self.image = checked.optional("image", text)
        _exclude(given, "gpu", "cpu")
        _exclude(given, "id", "image")
        if self.image is not None and self.name is None:
            raise ValueError('Endpoint: image needs a name too, like Endpoint(name="vllm", image=...)')
        self.cpu = checked.members("cpu", CpuInstanceType)
        self.gpu = checked.members("gpu", GpuGroup, GpuType)
        self.gpu_count = checked.value("gpu_count", whole_number(1))
        self.workers = _workers(checked, given["workers"])
        self.idle_timeout = checked.value("idle_timeout", whole_number(*IDLE_TIMEOUT_S, unit="s"))
        self.dependencies = list(checked.optional("dependencies", texts) or ())
        self.system_dependencies = list(checked.optional("system_dependencies", texts) or ())
        self.env = _environment(checked, given["env"])
        self.volumes = _volumes(checked, given["volume"])
        no_limit = whole_number(0, unit="ms, 0 means no limit of its own")
        self.execution_timeout_ms: int = checked.value("execution_timeout_ms", no_limit)
        self._scaler_type = checked.member("scaler_type", ServerlessScalerType)
        self.scaler_value = checked.value("scaler_value", whole_number(1))
        self.max_concurrency = checked.value("max_concurrency", whole_number(1))
        self.min_cuda_version = checked.member("min_cuda_version", CudaVersion)
        template = Rule(lambda value: isinstance(value, PodTemplate), "a PodTemplate")
        self.template = checked.optional("template", template)
        self.flashboot = checked.value("flashboot", flag)
        self.datacenters = checked.members("datacenter", DataCenter) or []
        version = Rule(lambda value: value in PYTHON_VERSIONS, f"one of {', '.join(PYTHON_VERSIONS)}")
        self.python_version = checked.optional("python_version", version)
        self.accelerate_downloads = checked.value("accelerate_downloads", flag)

    def scaler_type(self, *, load_balanced: bool) -> str:
        """The one that was given, or the default of the kind of endpoint."""
        return self._scaler_type or _SCALER_OF[load_balanced]


def _exclude(given: Mapping[str, Any], one: str, other: str) -> None:
    if given[one] is not None and given[other] is not None:
        raise ValueError(f"Endpoint: {one}={given[one]!r} and {other}={given[other]!r} exclude each other; give one")


def _workers(checked: Checked, value: Any) -> tuple[int, int]:
    """(least, most). None is the default, as in the public tool."""
    pair = (0, 1) if value is None else (0, value) if type(value) is int else value
    good = isinstance(pair, (tuple, list)) and len(pair) == 2 and all(type(number) is int for number in pair)
    if not good or not 0 <= pair[0] <= pair[1]:
        raise checked.wrong("workers", "a number n, meaning (0, n), or a pair (least, most) with 0 <= least <= most")
    return (pair[0], pair[1])


def _environment(checked: Checked, value: Any) -> dict[str, str]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise checked.wrong("env", 'a dict of strings, like {"MODEL": "small"}')
    for name, item in value.items():
        if not isinstance(name, str) or not isinstance(item, str):
            # Not the whole dict in the text: it may hold secrets.
            kind = type(item).__name__
            raise ValueError(
                f"Endpoint: env[{name!r}] is not allowed; names and values must be strings, but it is {kind}"
            )
    return dict(value)


def _volumes(checked: Checked, value: Any) -> list[NetworkVolume]:
    if value is None:
        return []
    volumes = list(value) if isinstance(value, (list, tuple)) else [value]
    if not volumes or not all(isinstance(volume, NetworkVolume) for volume in volumes):
        raise checked.wrong("volume", "a NetworkVolume or a list of them")
    if len({volume.datacenter for volume in volumes}) < len(volumes):
        raise checked.wrong("volume", "at most one volume for each datacenter")
    return volumes
