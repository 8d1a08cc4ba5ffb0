"""The start of the reverse tunnel: a unix socket (`unix:/way/back.sock`) or an address (`10.0.0.5:8791`)."""

from __future__ import annotations

import contextlib
import os
import socket
from http.client import HTTPConnection
from typing import NamedTuple

_UNIX = "unix:"


class TcpAddress(NamedTuple):
    host: str
    port: int


class UnixAddress(NamedTuple):
    path: str


Address = TcpAddress | UnixAddress

# Tells a socket file from an earlier one of the same name. An inode number alone may be reused.
Identity = tuple[int, int, int]


def read_address(text: str) -> Address:
    """Raises ValueError when it is neither form."""
    return UnixAddress(text[len(_UNIX) :]) if text.startswith(_UNIX) else read_listen(text)


def read_listen(text: str) -> TcpAddress:
    """Raises ValueError when it is not HOST:PORT."""
    host, separator, port = text.rpartition(":")
    if not separator or not host:
        raise ValueError(f"{text} is not HOST:PORT")
    return TcpAddress(host.strip("[]"), int(port))


def identity_of(address: Address) -> Identity | None:
    """Which socket stands behind the address now; None where that cannot change, or there is none."""
    if isinstance(address, TcpAddress):
        return None
    try:
        found = os.stat(address.path)
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_ctime_ns


def keep_alive(end: socket.socket, idle_s: int = 30, interval_s: int = 10) -> None:
    """Enable keepalive, which notices a vanished peer, by default within a minute."""
    if end.family == socket.AF_UNIX:
        return
    end.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", idle_s), ("TCP_KEEPINTVL", interval_s), ("TCP_KEEPCNT", 3)):
        with contextlib.suppress(OSError, AttributeError):
            end.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


class Http(HTTPConnection):
    """A connection for HTTP to either kind of address."""

    def __init__(self, address: Address, timeout_s: float) -> None:
        super().__init__("localhost", timeout=timeout_s)
        self._address = address

    def connect(self) -> None:
        """Called by HTTPConnection when a request is made."""
        if isinstance(self._address, TcpAddress):
            self.sock = socket.create_connection(self._address, self.timeout)
            return
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        try:
            self.sock.connect(self._address.path)
        except OSError:
            self.sock.close()
            raise
