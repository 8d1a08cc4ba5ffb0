"""One client's connection: reads requests one after the other and writes their answers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from http import HTTPStatus

from svc._responses import Request
from svc.runtime._answers import Answer, error_answer
from svc.runtime._application import BODY_LIMIT, Application
from svc.runtime._http_reader import HEAD_LIMIT, Head, ProtocolError, read_body, read_head
from svc.runtime._user_code import print_traceback

# Seconds that an idle connection is kept. source: the public image's keep-alive; a proxy must be the first to close.
IDLE_S = 600.0
# After an early error the rest of the request is read and dropped for this long, so that the answer arrives.
_LINGER_S, _LINGER_BYTES = 2.0, 64 * 1024 * 1024

# Framing is the server's; a route cannot set these.
_FRAMING = frozenset({"content-length", "transfer-encoding", "connection"})
_REASONS = {status.value: status.phrase for status in HTTPStatus}


class Connection:
    """`run()` ends when the connection does. `stop()`: an open request is finished, no further one is taken."""

    def __init__(self, application: Application, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._application = application
        self._reader = reader
        self._writer = writer
        self._busy = False
        self._stopping = False

    async def run(self) -> None:
        try:
            while not self._stopping and await self._serve_one():
                pass
        except (ConnectionError, asyncio.TimeoutError):
            pass  # the client is gone, or has been silent for too long
        finally:
            self._writer.close()
            with contextlib.suppress(OSError):
                await self._writer.wait_closed()

    def stop(self) -> None:
        """Let an open request end; close an idle connection at once."""
        self._stopping = True
        if not self._busy:
            self._writer.close()

    async def _serve_one(self) -> bool:
        """Whether the connection can be used again."""
        try:
            head = await asyncio.wait_for(read_head(self._reader), IDLE_S)
            # Closed by stop() while the request arrived: not begun, so the client may safely send it elsewhere.
            if head is None or self._writer.is_closing():
                return False
            self._busy = True
            body = await self._read_body(head)
        except ProtocolError as error:
            await self._write(None, error_answer(error.status, str(error)), keep=False)
            await self._linger()
            return False
        request = Request(head.method, head.path, head.query, head.headers, body)
        answer = await self._application.answer(request)
        keep = await self._write(head, answer, keep=head.keep_alive)
        if answer.after is not None:
            try:
                await answer.after()
            except Exception as error:
                print_traceback(error, f"svc: the background task of {head.method} {head.path} failed")
        self._busy = False
        return keep

    async def _read_body(self, head: Head) -> bytes:
        if head.expects_continue and (head.length is None or head.length <= BODY_LIMIT):
            self._writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        return await read_body(self._reader, head.length, BODY_LIMIT)

    async def _write(self, head: Head | None, answer: Answer, *, keep: bool) -> bool:
        """Whether the connection can be used again."""
        body = answer.body
        is_http_11 = head is None or head.is_http_11
        bodyless = (head is not None and head.method == "HEAD") or answer.status in (204, 304)
        keep = keep and not self._stopping
        framing = []
        if isinstance(body, bytes):
            framing += [] if answer.status in (204, 304) else [("content-length", str(len(body)))]
        elif is_http_11:
            framing.append(("transfer-encoding", "chunked"))
        else:
            keep = False  # in HTTP/1.0 the end of the connection is the end of the body
        framing.append(("connection", "keep-alive" if keep else "close"))
        self._writer.write(_head(answer, framing))
        if isinstance(body, bytes):
            self._writer.write(b"" if bodyless else body)
        elif bodyless:
            await body.aclose()  # type: ignore[attr-defined]  # a generator
        elif not await self._write_pieces(body, chunked=is_http_11):
            return False
        await self._writer.drain()
        return keep

    async def _write_pieces(self, pieces: AsyncIterator[bytes], *, chunked: bool) -> bool:
        """Whether the body is whole. A broken one ends the connection, so that the client sees that it is broken."""
        try:
            async for piece in pieces:
                if self._reader.at_eof() or self._writer.is_closing():
                    return False
                if piece:
                    self._writer.write(b"%x\r\n%b\r\n" % (len(piece), piece) if chunked else piece)
                    await self._writer.drain()
        except ConnectionError:
            return False
        except (Exception, SystemExit) as error:
            print_traceback(error, "svc: a streamed answer broke off")
            self._writer.transport.abort()
            return False
        finally:
            await pieces.aclose()  # type: ignore[attr-defined]  # a generator
        self._writer.write(b"0\r\n\r\n" if chunked else b"")
        return True

    async def _linger(self) -> None:
        async def drop() -> None:
            left = _LINGER_BYTES
            while left > 0 and (piece := await self._reader.read(256 * 1024)):
                left -= len(piece)

        with contextlib.suppress(OSError, asyncio.TimeoutError):
            if self._writer.can_write_eof():
                self._writer.write_eof()
            await asyncio.wait_for(drop(), _LINGER_S)


def _head(answer: Answer, framing: list[tuple[str, str]]) -> bytes:
    lines = [f"HTTP/1.1 {answer.status} {_REASONS.get(answer.status, '')}"]
    given = [(name, value) for name, value in answer.headers if name.lower() not in _FRAMING]
    for name, value in [*given, *framing]:
        if any(mark in name + value for mark in "\r\n\0"):
            continue  # would be a header of its own; left out and not raised, since the answer is already decided
        lines.append(f"{name}: {value}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace")


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
