"""`Endpoint`: the decorator, the routes and the client of an endpoint."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from svc._clients import ClientCall, EndpointJob, in_thread, input_json
from svc._decorate import DecoratedClass, Place, decorate_function, decorate_route
from svc._resources import NetworkVolume, PodTemplate
from svc._settings import EndpointSettings
from svc._values import (
    RESERVED_PATHS,
    CpuInstanceType,
    CudaVersion,
    DataCenter,
    GpuGroup,
    GpuType,
    ServerlessScalerType,
)

if TYPE_CHECKING:
    from svc._jobs import JobClient
    from svc._service import Service

Gpu = GpuGroup | GpuType | str
Cpu = CpuInstanceType | str


class Endpoint:
    """An endpoint of an app: a decorator, an object with routes, or a client. See the README for each.

    Raises ValueError for a wrong value, naming it and what is allowed.
    """

    def __init__(
        self,
        name: str | None = None,
        *,
        id: str | None = None,
        gpu: Gpu | Sequence[Gpu] | None = None,
        cpu: Cpu | Sequence[Cpu] | None = None,
        workers: int | tuple[int, int] | None = (0, 1),
        idle_timeout: int = 60,
        dependencies: Sequence[str] | None = None,
        system_dependencies: Sequence[str] | None = None,
        env: Mapping[str, str] | None = None,
        volume: NetworkVolume | Sequence[NetworkVolume] | None = None,
        image: str | None = None,
        gpu_count: int = 1,
        execution_timeout_ms: int = 0,
        scaler_type: ServerlessScalerType | str | None = None,
        scaler_value: int = 4,
        max_concurrency: int = 1,
        min_cuda_version: CudaVersion | str | None = None,
        template: PodTemplate | None = None,
        flashboot: bool = True,
        datacenter: DataCenter | str | Sequence[DataCenter | str] | None = None,
        python_version: str | None = None,
        accelerate_downloads: bool = True,
    ) -> None:
        given = {key: value for key, value in locals().items() if key != "self"}
        self.settings = EndpointSettings(given)
        self.name = self.settings.name
        self.id = self.settings.id
        self.image = self.settings.image
        # None, "a function", or "routes". An endpoint cannot decorate both.
        self._decorates: str | None = None
        self._routes: dict[tuple[str, str], str] = {}

    @property
    def is_client(self) -> bool:
        """Whether it stands for code that is not in this app."""
        return self.id is not None or self.image is not None

    @property
    def is_load_balanced(self) -> bool:
        """Whether routes were declared on it."""
        return bool(self._routes)

    @property
    def is_cpu(self) -> bool:
        """Whether it asks for no GPU."""
        return self.settings.cpu is not None

    @property
    def workers_min(self) -> int:
        """The minimum number of workers."""
        return self.settings.workers[0]

    @property
    def workers_max(self) -> int:
        """The maximum number of workers."""
        return self.settings.workers[1]

    def __call__(self, target: Any) -> Any:
        """Decorate a function or a class: a queue-based endpoint."""
        if self.is_client:
            raise TypeError(
                f"{self._told()} is a client and decorates nothing; use Endpoint(name=...) for code of your own"
            )
        if self._routes:
            raise ValueError(
                f"{self._told()} has routes and cannot decorate {target.__name__}; use another Endpoint for it"
            )
        if not callable(target) or not hasattr(target, "__name__"):
            raise TypeError(f"{self._told()} decorates a function or a class, not {target!r}")
        if self._decorates is not None:
            raise ValueError(
                f"{self._told()} decorates {self._decorates} already; {target.__name__} needs an Endpoint of its own"
            )
        self._decorates = target.__name__
        place = Place(self.name or target.__name__, target, self.settings.execution_timeout_ms)
        return DecoratedClass(target, place) if isinstance(target, type) else decorate_function(target, place)

    def get(self, path: str, data: Any = None, **options: Any) -> Any:
        """Declare a route; or, of a client, send a request: `await endpoint.get("/items", headers=..., timeout=60)`."""
        return self._route_or_request("GET", path, data, options)

    def post(self, path: str, data: Any = None, **options: Any) -> Any:
        """As `get`; a client sends `data` as JSON."""
        return self._route_or_request("POST", path, data, options)

    def put(self, path: str, data: Any = None, **options: Any) -> Any:
        """As `post`."""
        return self._route_or_request("PUT", path, data, options)

    def delete(self, path: str, data: Any = None, **options: Any) -> Any:
        """As `post`."""
        return self._route_or_request("DELETE", path, data, options)

    def patch(self, path: str, data: Any = None, **options: Any) -> Any:
        """As `post`."""
        return self._route_or_request("PATCH", path, data, options)

    async def run(self, input: Any, webhook: str | None = None) -> EndpointJob:
        """Queue a job with this input."""
        return await self._job(lambda client: client.run(input_json(input), webhook))

    async def runsync(self, input: Any, timeout: float = 60.0) -> EndpointJob:
        """Queue a job and wait for its end; one that has not ended after `timeout` seconds is not `done`."""
        return await self._job(lambda client: client.runsync(input_json(input), timeout))

    async def cancel(self, job_id: str) -> EndpointJob:
        """Cancel a job by its id."""
        return await self._job(lambda client: client.cancel(job_id))

    def _route_or_request(self, method: str, path: str, data: Any, options: dict[str, Any]) -> Any:
        if not isinstance(path, str) or not path.startswith("/"):
            raise ValueError(f"{self._told()}: path={path!r} is not allowed; it must begin with /")
        if self.is_client:
            name = method.lower()
            usage = f'`await endpoint.{name}("{path}")` sends a request'
            text = f"{self._told()} is a client: {usage}. Routes need Endpoint(name=...)"
            for option in options.keys() - {"headers", "timeout"}:
                raise TypeError(f"Endpoint.{name}() got an unexpected keyword argument {option!r}")
            return ClientCall(self._request(method, path, data, **options), text)
        if data is not None or options:
            raise TypeError(f"{self._told()} declares a route with {method} {path} and takes nothing but the path")
        return self._declare(method, path)

    async def _job(self, work: Callable[[JobClient], dict[str, Any]]) -> EndpointJob:
        def run() -> EndpointJob:
            from svc._jobs import JobClient

            client = JobClient(*self._find(False))
            return EndpointJob(work(client), client)

        made: EndpointJob = await in_thread(run)
        return made

    async def _request(
        self, method: str, path: str, data: Any, *, headers: Mapping[str, str] | None = None, timeout: float = 60.0
    ) -> Any:
        """A request to a load-balanced endpoint; `data` goes as JSON, bytes as they are."""

        def send() -> Any:
            from svc._requests import ask, value_of

            service, url = self._find(True)
            body = data if data is None or isinstance(data, bytes) else input_json(data)
            repeat = method == "GET"
            answer = ask(service, method, url + path, body=body, headers=headers, timeout_s=timeout, may_repeat=repeat)
            return value_of(answer)

        return await in_thread(send)

    def _declare(self, method: str, path: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        if self.name is None:
            raise ValueError(
                f"a load-balanced endpoint needs a name: Endpoint(name=...) before its route {method} {path}"
            )
        if self._decorates is not None:
            raise ValueError(
                f"{self._told()} decorates {self._decorates} and cannot have routes; use another Endpoint for them"
            )
        if path in RESERVED_PATHS:
            raise ValueError(f"{self._told()}: the path {path} is reserved; use another one")
        endpoint = self.name

        def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
            earlier = self._routes.setdefault((method, path), function.__name__)
            if earlier != function.__name__:
                raise ValueError(
                    f"{self._told()}: the route {method} {path} of {function.__name__} is that of {earlier} already"
                )
            place = Place(endpoint, function, self.settings.execution_timeout_ms)
            return decorate_route(function, place, method, path)

        return decorate

    def _find(self, load_balanced: bool) -> tuple[Service, str]:
        from svc._calls import addresses
        from svc._context import find_context
        from svc._service import find_service

        if self.id is not None:
            service = find_service()
            return service, f"{service.base_url}/{'lb' if load_balanced else 'v2'}/{self.id}"
        if self.name is None:
            raise ValueError("this Endpoint cannot be called: it has neither a name nor an id")
        context = find_context(self.name)
        service = find_service()
        return service, addresses.find(service, context, self.name, self._decorates or self.name).url

    def _told(self) -> str:
        shown = {"name": self.name, "id": self.id, "image": self.image}
        return f"Endpoint({', '.join(f'{key}={value!r}' for key, value in shown.items() if value is not None)})"
