"""A call of one of an app's functions from elsewhere; everything here blocks. source: docs/spec/app-deploy.md, 3."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar
from urllib.parse import urljoin

from svc import _route_requests
from svc._context import Context, endpoint_of, find_context
from svc._errors import NotDeployedError, ServiceError
from svc._jobs import JobClient, Record, output_of
from svc._requests import ask_json
from svc._service import Service, find_service

T = TypeVar("T")

# source: ours; five minutes, as long as runsync may wait. Used where the endpoint has no limit of its own.
DEFAULT_TIMEOUT_S = 300.0

# How long an address is kept. source: docs/spec/app-deploy.md, 3.
KEEP_S = 300.0
# A stale one is used this long before the next try to refresh it. source: ours; a call must not wait each time.
STALE_S = 10.0

_QUERY = (
    "query ($app: String!, $environment: String!, $function: String!) "
    "{ endpointFor(app: $app, environment: $environment, function: $function) { id name url loadBalanced } }"
)


class Address(NamedTuple):
    """An endpoint as the state manager tells it; `url` without a slash at its end."""

    id: str
    name: str
    url: str
    load_balanced: bool


# Service, context, endpoint's name.
_Key = tuple[str, Context, str]


class AddressBook:
    """Addresses that were found. Safe for threads; two calls to the same endpoint ask once."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = threading.Lock()
        self._asking: dict[_Key, threading.Lock] = {}
        self._known: dict[_Key, tuple[float, Address]] = {}

    def find(self, service: Service, context: Context, endpoint: str, function: str) -> Address:
        """The address of `endpoint`, asked for by a function of it; a stale one when nobody can be asked.

        Raises NotDeployedError, ServiceError, ConnectionError.
        """
        key = (service.base_url, context, endpoint)
        with self._lock:
            asking = self._asking.setdefault(key, threading.Lock())
        with asking:
            until, known = self._known.get(key, (0.0, None))
            if known is not None and self._now() < until:
                return known
            try:
                found = _ask(service, context, function)
            except (ServiceError, ConnectionError, TimeoutError):
                if known is None:
                    raise
                self._known[key] = (self._now() + STALE_S, known)
                return known
            if found is None:
                self._known.pop(key, None)
                raise NotDeployedError(
                    f'the endpoint "{endpoint}" is not deployed in app "{context.app}", environment '
                    f'"{context.environment}" of {service.base_url}: run `drydock deploy` in the project\'s folder, or '
                    "check SVC_APP and SVC_ENV"
                )
            self._known[key] = (self._now() + KEEP_S, found)
            return found

    def forget(self, service: Service, context: Context, endpoint: str) -> None:
        """The endpoint was not where its address says; the next call asks again."""
        self._known.pop((service.base_url, context, endpoint), None)


def _ask(service: Service, context: Context, function: str) -> Address | None:
    variables = {"app": context.app, "environment": context.environment, "function": function}
    url = f"{service.base_url}/graphql"
    # A query changes nothing, so it may be repeated.
    answer = ask_json(service, "POST", url, body=json.dumps({"query": _QUERY, "variables": variables}), may_repeat=True)
    if not isinstance(answer, dict) or answer.get("errors") or "endpointFor" not in (answer.get("data") or {}):
        raise ServiceError(200, f"the state manager at {url} answered: {json.dumps(answer)[:500]}")
    found = answer["data"]["endpointFor"]
    if found is None:
        return None
    # A path is below the service as this process reaches it, which need not be how its own machine does.
    address = urljoin(f"{service.base_url}/", found["url"]).rstrip("/")
    return Address(found["id"], found["name"], address, found["loadBalanced"])


addresses = AddressBook()


class _Place(NamedTuple):
    service: Service
    context: Context
    endpoint: str
    address: Address

    def jobs(self) -> JobClient:
        return JobClient(self.service, self.address.url)


class Target(NamedTuple):
    """A function or class of an app, and the endpoint that its decorator names."""

    endpoint: str
    function: str
    source_file: str | None
    timeout_s: float

    def call(self, input_json: str) -> Any:
        """The output of a job with this input. Raises RemoteError, TimeoutError and what reaching it can raise."""
        record = self._at_place(lambda place: place.jobs().runsync(input_json, self.timeout_s))
        return output_of(record, self.endpoint, self.timeout_s)

    def stream(self, input_json: str) -> Iterator[Any]:
        """The values that a generator function yields. Leaving the stream early cancels its job."""

        def run(place: _Place) -> tuple[JobClient, Record]:
            client = place.jobs()
            return client, client.run(input_json)

        client, record = self._at_place(run)
        ended = False
        try:
            yield from client.stream(record, self.endpoint)
            ended = True
        except Exception:
            ended = True
            raise
        finally:
            if not ended:
                client.cancel(record["id"])

    def request(self, method: str, path: str, fields: Mapping[str, Any]) -> Any:
        """Call a route of a load-balanced endpoint, and return its answer."""
        body = _route_requests.route_request(method, path, fields)
        send = _route_requests.send
        return self._at_place(lambda place: send(place.service, place.address.url, body, self.timeout_s))

    def items(self, method: str, path: str, fields: Mapping[str, Any]) -> Iterator[Any]:
        """The values of a route that is a generator, all at once when it has ended; texts come as one."""
        value = self.request(method, path, fields)
        yield from value if isinstance(value, list) else [value]

    def _at_place(self, work: Callable[[_Place], T]) -> T:
        """`work` at the endpoint's address; looked up anew, once, when there is no such endpoint any more."""
        place = self._find()
        try:
            return work(place)
        except ServiceError as error:
            if error.code != "ENDPOINT_NOT_FOUND":
                raise
            addresses.forget(place.service, place.context, place.endpoint)
            again = self._find()
            if again.address == place.address:
                raise
            return work(again)

    def _find(self) -> _Place:
        # The context comes first: without one, a missing key is not the first thing to repair.
        context = find_context(self.endpoint, self.source_file)
        service = find_service()
        endpoint = endpoint_of(self.function, self.source_file) or self.endpoint
        return _Place(service, context, endpoint, addresses.find(service, context, endpoint, self.function))
