"""Listens for a load-balanced endpoint."""

from __future__ import annotations

import asyncio

from svc.runtime._application import Application
from svc.runtime._connection import Connection
from svc.runtime._http_reader import HEAD_LIMIT


class Server:
    """One listener. `start()` then `stop()`; `stop()` waits for open requests and may be called twice."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._listener: asyncio.Server | None = None
        self._open: dict[asyncio.Task[None], Connection] = {}

    async def start(self, host: str, port: int) -> int:
        """Returns the port, which the system chooses for 0. Raises OSError."""
        self._listener = await asyncio.start_server(self._accept, host, port, limit=HEAD_LIMIT, backlog=1024)
        return int(self._listener.sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Take no further connection, let open requests end."""
        if self._listener is not None:
            self._listener.close()
        for connection in self._open.values():
            connection.stop()
        while self._open:
            await asyncio.wait(list(self._open))

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # asyncio calls this in a task of its own
        connection = self._open[task] = Connection(self._application, reader, writer)
        try:
            await connection.run()
        finally:
            del self._open[task]
