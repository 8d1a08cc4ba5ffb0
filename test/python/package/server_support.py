"""A real server of a load-balanced endpoint, and a client that says exactly what a test wants said."""

from __future__ import annotations

import asyncio
import socket
import threading
from typing import Any, NamedTuple

from route_support import RouteTest

from svc.runtime._connection import Server


class RawAnswer(NamedTuple):
    """Header names in lower case, repeated ones as a list."""

    status: int
    headers: dict[str, list[str]]
    body: bytes


class Client:
    """One connection."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), 20)
        self._reader = self.socket.makefile("rb")

    def send(self, data: bytes) -> None:
        self.socket.sendall(data)

    def ask(self, data: bytes, *, head: bool = False) -> RawAnswer:
        self.send(data)
        return self.read(head=head)

    def read_head(self) -> tuple[int, dict[str, list[str]]]:
        line = self._reader.readline()
        if not line:
            raise EOFError("the server closed the connection")
        headers: dict[str, list[str]] = {}
        while (row := self._reader.readline().decode("latin-1").strip()) != "":
            name, _, value = row.partition(": ")
            headers.setdefault(name.lower(), []).append(value)
        return int(line.split()[1]), headers

    def read(self, *, head: bool = False) -> RawAnswer:
        status, headers = self.read_head()
        if head or status in (204, 304):
            return RawAnswer(status, headers, b"")
        if headers.get("transfer-encoding") == ["chunked"]:
            return RawAnswer(status, headers, b"".join(iter(self.read_chunk, b"")))
        if "content-length" in headers:
            return RawAnswer(status, headers, self._reader.read(int(headers["content-length"][0])))
        return RawAnswer(status, headers, self._reader.read())

    def read_chunk(self) -> bytes:
        size = self._reader.readline()
        if not size:
            raise EOFError("the answer broke off")
        data = self._reader.read(int(size, 16))
        self._reader.readline()
        return data

    def is_closed(self) -> bool:
        """Waits for the server to close, or to send something."""
        try:
            return self._reader.read(1) == b""
        except ConnectionError:
            return True

    def close(self) -> None:
        self._reader.close()
        self.socket.close()


class ServerTest(RouteTest):
    """`self.start(text)` serves an app in a thread; `self.connect()` gives a client."""

    def start(self, text: str) -> None:
        self.routes(text)
        self.loop = asyncio.new_event_loop()
        thread = threading.Thread(target=self.loop.run_forever, daemon=True)
        thread.start()
        self.server = Server(self.application)
        self.port = self.run_there(self.server.start("127.0.0.1", 0))

        def end() -> None:
            self.run_there(self.server.stop())
            self.loop.call_soon_threadsafe(self.loop.stop)
            thread.join(20)
            self.loop.close()

        self.addCleanup(end)

    def run_there(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(20)

    def connect(self) -> Client:
        client = Client(self.port)
        self.addCleanup(client.close)
        return client
