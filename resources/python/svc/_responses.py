"""Requests, responses and errors of routes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Request:
    """The request that a route answers: a parameter annotated with it gets it. Header names are in lower case."""

    def __init__(self, method: str, path: str, query: str, headers: Mapping[str, str], body: bytes) -> None:
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body

    def json(self) -> Any:
        """The body as a value. Raises ValueError."""
        import json

        return json.loads(self.body)


class Response:
    """An answer with a status and headers of its own.

    `body` is bytes, a text, a value that becomes JSON, or a generator of texts or bytes that are sent as they come.
    """

    def __init__(
        self,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
        body: Any = b"",
        media_type: str | None = None,
    ) -> None:
        self.status = status
        self.headers = dict(headers or {})
        self.body = body
        self.media_type = media_type


class HTTPError(Exception):
    """Raise it in a route to answer with a status: `raise HTTPError(404, "no such item")`."""

    def __init__(self, status: int, detail: Any = None, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(f"{status}: {detail}")
        self.status = status
        self.detail = detail
        self.headers = dict(headers or {})
