"""Where a function's endpoint is: asked from the state manager, kept for 300 s. source: docs/spec/app-deploy.md, 3."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import NamedTuple
from urllib.parse import urljoin

from svc._context import Context
from svc._errors import NotDeployedError, ServiceError
from svc._requests import ask_json
from svc._service import Service

KEEP_S = 300.0
# A stale address is used this long before the next try to refresh it. source: ours; a call must not wait each time.
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
