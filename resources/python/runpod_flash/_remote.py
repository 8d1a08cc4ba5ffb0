"""The public tool's older way: a resource object and the decorator `remote`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

from svc import Endpoint
from svc._values import HTTP_METHODS

from runpod_flash._older_fields import DEFAULT_CPU, PARAMETERS


class ServerlessType(Enum):
    """Kinds of endpoints."""

    QB = "QB"
    LB = "LB"


class _Resource:
    """Settings of one endpoint, turned into an Endpoint by the first `remote` that is given it."""

    is_cpu = False
    is_load_balanced = False

    def __init__(self, **fields: Any) -> None:
        if "name" not in fields:
            raise ValueError(f"{type(self).__name__}: name is missing")
        self.__dict__.update(fields)
        self.fields = fields
        self._with_routes: Endpoint | None = None

    def endpoint(self, **more: Any) -> Endpoint:
        """An Endpoint with these settings; one object for all routes of a load-balanced one."""
        if self._with_routes is None or not self.is_load_balanced:
            given = {PARAMETERS[name]: value for name, value in self.fields.items() if name in PARAMETERS}
            if self.is_cpu:
                given.pop("gpu", None)
                given.setdefault("cpu", DEFAULT_CPU)
            workers = (self.fields.get("workersMin") or 0, self.fields.get("workersMax", 1))
            self._with_routes = Endpoint(workers=workers, **given, **more)
        return self._with_routes


class ServerlessEndpoint(_Resource):
    """Queue-based, GPU."""


class LiveServerless(ServerlessEndpoint):
    """The same."""


class CpuServerlessEndpoint(_Resource):
    """Queue-based, CPU."""

    is_cpu = True


class CpuLiveServerless(CpuServerlessEndpoint):
    """The same."""


class LoadBalancerSlsResource(_Resource):
    """Load-balanced, GPU."""

    is_load_balanced = True


class LiveLoadBalancer(LoadBalancerSlsResource):
    """The same."""


class CpuLoadBalancerSlsResource(LoadBalancerSlsResource):
    """Load-balanced, CPU."""

    is_cpu = True


class CpuLiveLoadBalancer(CpuLoadBalancerSlsResource):
    """The same."""


def remote(
    resource_config: _Resource,
    dependencies: Sequence[str] | None = None,
    system_dependencies: Sequence[str] | None = None,
    accelerate_downloads: bool = True,
    local: bool = False,
    method: str | None = None,
    path: str | None = None,
) -> Callable[[Any], Any]:
    """Decorate a function or class; `local` leaves it as it is. A load-balanced resource needs `method` and `path`."""
    if local:
        return lambda target: target
    if not isinstance(resource_config, _Resource):
        raise TypeError(f"remote: resource_config={resource_config!r} is not a resource, like LiveServerless(name=...)")
    endpoint = resource_config.endpoint(
        dependencies=dependencies, system_dependencies=system_dependencies, accelerate_downloads=accelerate_downloads
    )
    if not resource_config.is_load_balanced:
        return endpoint
    if method is None or path is None:
        raise ValueError("remote: a load-balanced resource needs method and path, like method='POST', path='/items'")
    if method.upper() not in HTTP_METHODS:
        raise ValueError(f"remote: method={method!r} is not allowed; it must be one of {', '.join(HTTP_METHODS)}")
    made: Callable[[Any], Any] = getattr(endpoint, method.lower())(path)
    return made
