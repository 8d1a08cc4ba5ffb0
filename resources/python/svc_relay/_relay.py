"""Copies bytes both ways between workers and the reverse tunnel, connection by connection.

When one side closes its half of a connection, the other half stays open. A break on one side breaks the other, so a
worker learns at once that its call was lost. A side that reads slowly slows the other down: little is buffered here.

When this machine is connected again, the socket is a new file of the same name. Connections through the old one lead
nowhere, and the system may take a quarter of an hour to notice. So they are cut.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import struct
import sys
from ipaddress import IPv4Network, IPv6Network, ip_address

from svc_relay._addresses import Address, Identity, TcpAddress, UnixAddress, identity_of, keep_alive

# Bytes that are held of one direction of one connection.
_HELD = 64 * 1024
# A working tunnel takes a connection at once; one that hangs must not hold a worker's call.
_CONNECT_S = 5.0
# Seconds between checks for a new socket, while connections are open.
_LOOK_S = 1.0
# Pending connections: all workers of a machine may reconnect at once.
_BACKLOG = 1024

Networks = list[IPv4Network | IPv6Network]
Ends = tuple[asyncio.StreamWriter, asyncio.StreamWriter]


async def run_relay(listen: list[TcpAddress], to: Address, allow: Networks) -> int:
    """Relay until SIGTERM. Returns the exit status: 1 where an address cannot be had, with the reason on stderr."""
    relay = Relay(to, allow)
    stopped = until_told()
    for address in listen:
        try:
            await relay.listen(address)
        except OSError as error:
            why = os.strerror(error.errno or 0)
            print(f"cannot listen on {address.host}:{address.port}: {why}", file=sys.stderr, flush=True)
            await relay.close()
            return 1
    print(f"listening on {', '.join(f'{host}:{port}' for host, port in relay.addresses())}", flush=True)
    await stopped.wait()
    await relay.close()
    return 0


def until_told() -> asyncio.Event:
    """Is set when a signal asks the process to end."""
    stopped = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    return stopped


class Relay:
    """Listeners that forward to one address."""

    def __init__(self, to: Address, allow: Networks) -> None:
        """`allow`: networks whose addresses may connect; all where there is none."""
        self._to = to
        self._allow = allow
        self._servers: list[asyncio.Server] = []
        self._calls: set[asyncio.Task[None]] = set()
        self._open: dict[Ends, Identity | None] = {}
        self._cutter: asyncio.Task[None] | None = None
        self._closed = False

    async def listen(self, address: TcpAddress) -> None:
        """Raises OSError where the address cannot be had."""
        server = await asyncio.start_server(
            self._begin, address.host, address.port, limit=_HELD, backlog=_BACKLOG, reuse_address=True
        )
        self._servers.append(server)

    def addresses(self) -> list[tuple[str, int]]:
        return [one.getsockname()[:2] for server in self._servers for one in server.sockets]

    async def close(self) -> None:
        """Stop listening and cut what is open."""
        self._closed = True
        for server in self._servers:
            server.close()
        if self._cutter is not None:
            self._cutter.cancel()
        for ends in list(self._open):
            _abort(*ends)
        for call in self._calls:
            call.cancel()
        await asyncio.gather(*self._calls, return_exceptions=True)

    def _begin(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        call = asyncio.create_task(self._relay(reader, writer))
        self._calls.add(call)
        call.add_done_callback(self._calls.discard)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self.allows(writer):
            _abort(writer)
            return
        await self.lead(reader, writer)

    async def lead(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, greeting: bytes = b"") -> None:
        """Forward a connection until it ends. `greeting`: sent to the client once the other end is reached."""
        identity = identity_of(self._to)
        try:
            there_reader, there_writer = await asyncio.wait_for(self._connect(), _CONNECT_S)
        except (OSError, asyncio.TimeoutError):
            _abort(writer)
            return
        writer.write(greeting)
        ends = (writer, there_writer)
        if self._closed:  # `wait_for` forgets that it was cancelled when what it waited for came in that moment
            _abort(*ends)
            return
        self._open[ends] = identity
        if self._cutter is None and isinstance(self._to, UnixAddress):
            self._cutter = asyncio.create_task(self._cut_lost())
        try:
            for end in ends:
                end.transport.set_write_buffer_limits(high=_HELD)
                keep_alive(end.get_extra_info("socket"))
            await copy_both(reader, there_writer, there_reader, writer)
        except OSError:  # the client left during the connection attempt
            _abort(*ends)
        finally:
            del self._open[ends]
            for end in ends:
                end.close()

    def allows(self, writer: asyncio.StreamWriter) -> bool:
        """Whether the client is on an allowed network."""
        peer = writer.get_extra_info("peername")
        return not self._allow or (peer is not None and any(ip_address(peer[0]) in network for network in self._allow))

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if isinstance(self._to, UnixAddress):
            return await asyncio.open_unix_connection(self._to.path, limit=_HELD)
        return await asyncio.open_connection(self._to.host, self._to.port, limit=_HELD)

    async def _cut_lost(self) -> None:
        while self._open:
            await asyncio.sleep(_LOOK_S)
            now = identity_of(self._to)
            for ends in [ends for ends, before in self._open.items() if now is not None and before != now]:
                _abort(*ends)
        self._cutter = None


async def copy_both(
    reader: asyncio.StreamReader,
    there_writer: asyncio.StreamWriter,
    there_reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
) -> None:
    """Copy until both halves have ended, or one broke."""
    halves = [asyncio.create_task(_copy(reader, there_writer)), asyncio.create_task(_copy(there_reader, writer))]
    done, pending = await asyncio.wait(halves, return_when=asyncio.FIRST_EXCEPTION)
    if any(half.exception() is not None for half in done):
        _abort(writer, there_writer)
    for half in pending:
        half.cancel()
    await asyncio.gather(*pending, return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(_HELD):
        writer.write(data)
        await writer.drain()
    writer.write_eof()


def _abort(*ends: asyncio.StreamWriter) -> None:
    for end in ends:
        with contextlib.suppress(OSError):  # it is closed already
            # With a reset, so that nobody takes half an answer for the whole.
            end.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        end.transport.abort()
