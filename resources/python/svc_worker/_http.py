"""One kept-alive HTTP/1.1 connection to the service, made for latency.

`http.client` sends head and body in two packets and parses headers with the e-mail parser; both show in a round trip
of half a millisecond. Here a request is one buffer and one send, and only the headers that matter are looked at.
"""

from __future__ import annotations

import contextlib
import socket
from typing import BinaryIO, NamedTuple

from svc_worker._protocol import Settings
from svc_worker._version import __version__


class Answer(NamedTuple):
    """An answer of the service; header names are in lower case."""

    status: int
    headers: dict[str, str]
    body: bytes


class Connection:
    """A connection for one thread at a time; opened on first use and again whenever the other side has closed it."""

    def __init__(self, settings: Settings, timeout_s: float) -> None:
        self._address = (settings.host, settings.port)
        self._timeout_s = timeout_s
        self._socket: socket.socket | None = None
        self._reader: BinaryIO | None = None
        self._aborted = False
        authorization = f"Authorization: {settings.api_key}\r\n" if settings.api_key else ""
        self._head = (
            f" HTTP/1.1\r\nHost: {settings.authority}\r\n{authorization}"
            f"User-Agent: svc-worker/{__version__}\r\nAccept: application/json\r\n"
        )

    def get(self, target: str) -> Answer:
        """Raises OSError when no answer came."""
        return self._request(f"GET {target}{self._head}\r\n".encode("latin-1"))

    def post(self, target: str, body: bytes) -> Answer:
        """Raises OSError when no answer came."""
        head = f"POST {target}{self._head}Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        return self._request(head.encode("latin-1") + body)

    def abort(self) -> None:
        """End a held request from another thread, for good. An answer that has already arrived is still delivered."""
        self._aborted = True
        if self._socket is not None:
            with contextlib.suppress(OSError):
                self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Forget the connection; the next request opens another."""
        for end in (self._reader, self._socket):
            if end is not None:
                with contextlib.suppress(OSError):
                    end.close()
        self._socket = self._reader = None

    def _request(self, message: bytes) -> Answer:
        if self._socket is not None:
            try:
                return self._exchange(message)
            except _NotAnsweredError:
                # A service closes idle connections; only the next request notices, which costs one new connection.
                pass
        try:
            return self._exchange(message)
        except _NotAnsweredError as error:
            raise ConnectionError("the service closed the connection without an answer") from error

    def _exchange(self, message: bytes) -> Answer:
        reader, sock = self._open()
        try:
            status_line = _first_line(reader, sock, message)
            answer, keep = _read_answer(reader, status_line)
        except (OSError, ValueError, IndexError) as error:
            self.close()
            if isinstance(error, OSError):
                raise
            raise ConnectionError(f"the answer is not HTTP: {error}") from error
        if not keep:
            self.close()
        return answer

    def _open(self) -> tuple[BinaryIO, socket.socket]:
        if self._socket is None or self._reader is None:
            if self._aborted:
                raise ConnectionAbortedError("stopped")
            sock = socket.create_connection(self._address, self._timeout_s)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._socket, self._reader = sock, sock.makefile("rb")
            if self._aborted:  # it came while we connected and found no socket to shut
                self.close()
                raise ConnectionAbortedError("stopped")
            return self._reader, sock
        return self._reader, self._socket


class _NotAnsweredError(ConnectionError):
    """The connection broke before the first byte of an answer."""


def _first_line(reader: BinaryIO, sock: socket.socket, message: bytes) -> bytes:
    try:
        sock.sendall(message)
        line = reader.readline()
    except (BrokenPipeError, ConnectionResetError) as error:
        raise _NotAnsweredError(str(error)) from error
    if not line:
        raise _NotAnsweredError("closed")
    return line


def _read_answer(reader: BinaryIO, status_line: bytes) -> tuple[Answer, bool]:
    """Returns the answer, and whether the connection can be used again."""
    status = int(status_line.split(b" ", 2)[1])
    headers = _read_headers(reader)
    while 100 <= status < 200:
        status = int(reader.readline().split(b" ", 2)[1])
        headers = _read_headers(reader)
    keep = headers.get("connection", "").lower() != "close" and status_line.startswith(b"HTTP/1.1")
    if status in (204, 304):
        return Answer(status, headers, b""), keep
    if headers.get("transfer-encoding", "").lower() == "chunked":
        return Answer(status, headers, _read_chunked(reader)), keep
    if "content-length" in headers:
        return Answer(status, headers, _read_exactly(reader, int(headers["content-length"]))), keep
    return Answer(status, headers, reader.read()), False


def _read_headers(reader: BinaryIO) -> dict[str, str]:
    headers: dict[str, str] = {}
    while (line := reader.readline()) not in (b"\r\n", b"\n"):
        if not line:
            raise ConnectionError("the connection broke in the middle of an answer")
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    return headers


def _read_chunked(reader: BinaryIO) -> bytes:
    pieces: list[bytes] = []
    while size := int(reader.readline().split(b";")[0], 16):
        pieces.append(_read_exactly(reader, size))
        reader.readline()
    _read_headers(reader)
    return b"".join(pieces)


def _read_exactly(reader: BinaryIO, size: int) -> bytes:
    body = reader.read(size)
    if len(body) != size:
        raise ConnectionError("the connection broke in the middle of an answer")
    return body
