"""HTTP requests from any thread over connections that are kept.

A request is repeated when that is safe: when it never left (nobody listens yet), or when the caller says that a second
one does no harm. A kept connection is looked at before it is used, since a service closes idle ones.
"""

from __future__ import annotations

import http.client
import os
import selectors
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from svc._service import DEFAULT_BASE_URL, pinned_certificate

# Seconds before each repetition; together as long as a restart of the service takes. source: ours.
PAUSES_S = (0.1, 0.4, 1.0)
# The service is busy, or a proxy before it found nobody. source: docs/spec/job-api.md, 8.
_PASSING = frozenset({429, 502, 503, 504})
# Connections kept for each address; more are opened when needed and closed afterwards. source: ours.
_KEPT = 16


class Answer(NamedTuple):
    """Header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class _NotSentError(OSError):
    """Nobody took the connection, so nothing was sent."""


class Http:
    """Requests, and the connections between them. `sleep` is an argument for tests."""

    def __init__(self, sleep: Callable[[float], None] = time.sleep) -> None:
        self._sleep = sleep
        self._lock = threading.Lock()
        self._idle: dict[tuple[str, str], list[http.client.HTTPConnection]] = {}
        # A socket shared with a forked child would mix up answers.
        if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
            os.register_at_fork(after_in_child=self._forget)

    def request(
        self,
        method: str,
        url: str,
        *,
        headers: Mapping[str, str],
        body: bytes | None = None,
        timeout_s: float,
        may_repeat: bool = False,
    ) -> Answer:
        """One answer, whatever its status. `timeout_s` is for each wait on the socket, not for the whole.

        Raises TimeoutError, or ConnectionError with words, when there was none.
        """
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"{url!r} is not an http:// or https:// address")
        for pause_s in (*PAUSES_S, None):
            try:
                answer = self._once(method, parts, headers, body, timeout_s)
                if pause_s is None or not (may_repeat and answer.status in _PASSING):
                    return answer
            except TimeoutError as error:
                raise TimeoutError(f"{_place(parts)} gave no answer within {timeout_s:g} s") from error
            except (OSError, http.client.HTTPException) as error:
                if pause_s is None or not (may_repeat or isinstance(error, _NotSentError)):
                    said = str(error) or type(error).__name__
                    raise ConnectionError(f"no answer from {_place(parts)}: {said}{_address_hint(url)}") from error
            self._sleep(pause_s)
        raise AssertionError("unreachable")

    def _once(
        self, method: str, parts: SplitResult, headers: Mapping[str, str], body: bytes | None, timeout_s: float
    ) -> Answer:
        key = (parts.scheme, parts.netloc)
        connection = self._take(key) or _connect(parts, timeout_s)
        try:
            if connection.sock is not None:
                connection.sock.settimeout(timeout_s)
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request(method, target, body=body, headers=dict(headers))
            response = connection.getresponse()
            answer = Answer(
                response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
            )
        except BaseException:
            connection.close()
            raise
        if response.will_close:
            connection.close()
        else:
            self._give_back(key, connection)
        return answer

    def _take(self, key: tuple[str, str]) -> http.client.HTTPConnection | None:
        while True:
            with self._lock:
                idle = self._idle.get(key)
                if not idle:
                    return None
                connection = idle.pop()
            if connection.sock is not None and not _has_news(connection.sock):
                return connection
            connection.close()

    def _give_back(self, key: tuple[str, str], connection: http.client.HTTPConnection) -> None:
        with self._lock:
            idle = self._idle.setdefault(key, [])
            if len(idle) < _KEPT:
                idle.append(connection)
                return
        connection.close()

    def _forget(self) -> None:
        self._lock = threading.Lock()
        self._idle = {}


def _trust(parts: SplitResult) -> ssl.SSLContext:
    certificate = pinned_certificate(f"{parts.scheme}://{parts.netloc}")
    context = ssl.create_default_context(cadata=certificate)
    if certificate is not None:
        # Only this service signs with it, so the name that it was reached by says nothing more.
        context.check_hostname = False
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return context


def _connect(parts: SplitResult, timeout_s: float) -> http.client.HTTPConnection:
    host = parts.hostname or ""
    connection = (
        http.client.HTTPSConnection(host, parts.port, timeout=timeout_s, context=_trust(parts))
        if parts.scheme == "https"
        else http.client.HTTPConnection(host, parts.port, timeout=timeout_s)
    )
    try:
        connection.connect()
    except TimeoutError:
        raise
    except socket.gaierror as error:
        # Not every system knows that x.localhost is this machine, as it should. source: RFC 6761, 6.3.
        if not (parts.hostname or "").endswith(".localhost"):
            raise _NotSentError(f"{parts.hostname} is not known here") from error
        connection.sock = socket.create_connection(("127.0.0.1", connection.port), timeout_s)
    except OSError as error:
        raise _NotSentError(str(error)) from error
    return connection


def _has_news(sock: socket.socket) -> bool:
    """Whether an idle connection can be read from: it was closed, or it is out of step."""
    with selectors.DefaultSelector() as selector:
        selector.register(sock, selectors.EVENT_READ)
        return bool(selector.select(0))


def _address_hint(url: str) -> str:
    """Names the variable if the default address was used, since the service may have another one."""
    return "; start the service, or set SVC_BASE_URL to its address" if url.startswith(f"{DEFAULT_BASE_URL}/") else ""


def _place(parts: SplitResult) -> str:
    return f"{parts.scheme}://{parts.netloc}{parts.path}"
