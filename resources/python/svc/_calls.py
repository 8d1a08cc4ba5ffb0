"""A call of one of an app's functions from elsewhere; everything here blocks. source: docs/spec/app-deploy.md, 3."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from svc import _route_requests
from svc._addresses import Address, AddressBook
from svc._context import Context, find_context
from svc._errors import ServiceError
from svc._jobs import JobClient, Record, output_of
from svc._manifest import endpoint_of
from svc._service import Service, find_service

T = TypeVar("T")

# source: ours; five minutes, as long as runsync may wait. Used where the endpoint has no limit of its own.
DEFAULT_TIMEOUT_S = 300.0

addresses = AddressBook()


class _Place(NamedTuple):
    service: Service
    context: Context
    endpoint: str
    address: Address


class Target(NamedTuple):
    """A function or class of an app, and the endpoint that its decorator names."""

    endpoint: str
    function: str
    source_file: str | None
    timeout_s: float

    def call(self, input_json: str) -> Any:
        """The output of a job with this input. Raises RemoteError, TimeoutError and what reaching it can raise."""

        def run(place: _Place) -> Record:
            return JobClient(place.service, place.address.url).runsync(input_json, self.timeout_s)

        return output_of(self._at_place(run), self.endpoint, self.timeout_s)

    def stream(self, input_json: str) -> Iterator[Any]:
        """What a generator function yields. A stream that is left early is cancelled: nobody reads the rest."""

        def run(place: _Place) -> tuple[JobClient, Record]:
            client = JobClient(place.service, place.address.url)
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
        """What a route of a load-balanced endpoint answers."""
        body = _route_requests.route_request(method, path, fields)

        def send(place: _Place) -> Any:
            return _route_requests.send(place.service, place.address.url, body, self.timeout_s)

        return self._at_place(send)

    def items(self, method: str, path: str, fields: Mapping[str, Any]) -> Iterator[Any]:
        """What a route that is a generator yields, all at once when it has ended; texts come as one."""
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
