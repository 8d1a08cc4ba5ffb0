"""The few calls of the engine's API that the watchdog makes, over the engine's socket."""

from __future__ import annotations

import json
from http.client import HTTPException
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from svc_relay._addresses import Http, UnixAddress

# The engine answers when the container has ended, and it may be busy.
_TIMEOUT_S = 60.0


class Container(NamedTuple):
    """A container that runs or is paused."""

    id: str
    labels: dict[str, str]


class EngineError(Exception):
    """The engine cannot be asked, or refused."""


class Engine:
    """An engine at a socket of the file system."""

    def __init__(self, path: str) -> None:
        """Nothing is opened yet."""
        self._address = UnixAddress(path)

    def running(self, labels: list[str]) -> list[Container]:
        """List the containers with all these labels, each `name` or `name=value`. Raises EngineError."""
        query = urlencode({"filters": json.dumps({"label": labels})})
        found = json.loads(self._ask("GET", f"/containers/json?{query}", {200}))
        return [Container(one["Id"], one["Labels"] or {}) for one in found]

    def stop(self, container_id: str, grace_s: int) -> None:
        """Stop a container, which may have ended meanwhile; it is paused no more. Raises EngineError."""
        self._ask("POST", f"/containers/{quote(container_id, safe='')}/stop?t={grace_s}", {204, 304, 404})

    def _ask(self, method: str, path: str, well: set[int]) -> bytes:
        connection = Http(self._address, _TIMEOUT_S)
        try:
            connection.request(method, path)
            answer = connection.getresponse()
            body = answer.read()
        except (OSError, HTTPException) as error:
            raise EngineError(f"the engine does not answer: {error}") from error
        finally:
            connection.close()
        if answer.status not in well:
            raise EngineError(f"the engine answered {answer.status} to {method} {path}: {_message(body)}")
        return body


def _message(body: bytes) -> str:
    try:
        value: Any = json.loads(body)
        return str(value["message"])
    except (ValueError, KeyError, TypeError):
        return body[:200].decode(errors="replace")
