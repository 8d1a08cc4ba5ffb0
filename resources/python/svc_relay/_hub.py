"""Both ends of the way from the manager of a swarm to the engine of each node.

The hub is on the manager. It relays the requests of workers to the reverse tunnel of the service, and opens a control
socket for the service in the folder of the tunnel, which only its user can open. The agent is on every node, with the
socket of the engine there. Between them is a network of their own; a connection to an agent needs the key, which both
have as a secret of the swarm.

The control socket takes one line of JSON for each connection and answers with a line, `ok` or why not:
    {"to": "10.0.1.5:20081"}                           leads to the engine behind that agent
    {"listen": "to-10.0.2.7-8080.sock"}                opens a socket of this name that leads to that address
    {"copy": "sha256:...", "from": AGENT, "to": AGENT}  gives one engine an image that another one has
    {"tree": ID, "container": NAME, "from": AGENT, "to": AGENT}  gives one store of files a tree of another one's; before
                                                       the answer come lines of JSON that say how far it is
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import hmac
import json
import os
import re
import secrets
import socket
import threading
from pathlib import Path
from typing import Any

from svc_relay._addresses import Address, TcpAddress, UnixAddress, keep_alive, read_listen
from svc_relay._relay import Networks, Relay, copy_both, until_told
from svc_relay._trees import Streams, copy_tree, request, status_of
from svc_relay._watchdog import Watchdog

_CONTROL = "hub.sock"
_SOCKET = re.compile(r"to-([0-9.]+)-([0-9]{1,5})\.sock")
_WAIT_S = 5.0
_LINE = 4096
# Seconds within which a vanished node is noticed.
_SILENCE_MS = 5000


async def run_hub(listen: list[TcpAddress], to: Address, allow: Networks, *, folder: str, key: str) -> int:
    """Relay and serve the control socket until SIGTERM. Returns the exit status."""
    stopped = until_told()
    relay = Relay(to, allow)
    for address in listen:
        await relay.listen(address)
    hub = Hub(Path(folder), Path(key).read_bytes())
    await hub.open()
    print(f"listening on {', '.join(f'{host}:{port}' for host, port in relay.addresses())}", flush=True)
    await stopped.wait()
    await relay.close()
    return 0


async def run_agent(listen: TcpAddress, engine: str, allow: Networks, *, key: str, watchdog: Watchdog) -> int:
    """Forward to the engine, and guard the workers of the service here, until SIGTERM. Returns the exit status."""
    stopped = until_told()
    agent = Agent(UnixAddress(engine), allow, Path(key).read_bytes())
    server = await asyncio.start_server(agent.serve, listen.host, listen.port)
    threading.Thread(target=watchdog.guard, daemon=True).start()
    print(f"listening on {listen.host}:{server.sockets[0].getsockname()[1]}", flush=True)
    await stopped.wait()
    watchdog.stop()
    server.close()
    return 0


class Agent:
    """The end of the connection at the engine of a node."""

    def __init__(self, engine: UnixAddress, allow: Networks, key: bytes) -> None:
        self._relay = Relay(engine, allow)
        self._key = key

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Ask for the key before anything else."""
        if not self._relay.allows(writer):
            writer.transport.abort()
            return
        nonce = secrets.token_hex(16)
        writer.write(f"{nonce}\n".encode())
        try:
            said = await asyncio.wait_for(reader.readline(), _WAIT_S)
        except (OSError, ValueError, asyncio.TimeoutError):
            said = b""
        if not hmac.compare_digest(said.strip(), _proof(self._key, nonce)):
            writer.transport.abort()
            return
        await self._relay.lead(reader, writer, greeting=b"ok\n")


class Hub:
    """The end of the connection at the manager."""

    def __init__(self, folder: Path, key: bytes) -> None:
        self._folder = folder
        self._key = key
        self._open: dict[str, asyncio.Server] = {}

    async def open(self) -> None:
        """Open the control socket, and the sockets that were open when an earlier hub ended."""
        for left in self._folder.glob("to-*.sock"):
            await self._listen(left.name)
        place = self._folder / _CONTROL
        place.unlink(missing_ok=True)
        self._open[_CONTROL] = await asyncio.start_unix_server(self._serve, str(place))

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            wish: dict[str, Any] = json.loads(await asyncio.wait_for(reader.readline(), _WAIT_S))
            if "copy" in wish:
                await self._copy(wish["copy"], read_listen(wish["from"]), read_listen(wish["to"]))
            elif "tree" in wish:
                source, target = read_listen(wish["from"]), read_listen(wish["to"])
                await copy_tree(wish, lambda: self._agent(source), lambda: self._agent(target), writer)
            elif "listen" in wish:
                await self._listen(wish["listen"])
            else:
                there = await self._agent(read_listen(wish["to"]))
                writer.write(b"ok\n")
                await _join((reader, writer), there)
                return
            writer.write(b"ok\n")
        except (OSError, ValueError, KeyError, asyncio.TimeoutError, asyncio.IncompleteReadError) as error:
            writer.write(f"{_reason(error)}\n".encode())
        with contextlib.suppress(OSError):
            await writer.drain()
        writer.close()

    async def _listen(self, name: str) -> None:
        match = _SOCKET.fullmatch(name)
        if match is None:
            raise ValueError(f"{name} names no address")
        if name in self._open:
            return
        address = TcpAddress(match[1], int(match[2]))

        async def lead(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                there = await _connect(address)
            except (OSError, asyncio.TimeoutError):
                writer.transport.abort()
                return
            await _join((reader, writer), there)

        place = self._folder / name
        place.unlink(missing_ok=True)
        self._open[name] = await asyncio.start_unix_server(lead, str(place))

    async def _agent(self, address: TcpAddress) -> Streams:
        reader, writer = await _connect(address)
        nonce = (await asyncio.wait_for(reader.readline(), _WAIT_S)).decode().strip()
        writer.write(_proof(self._key, nonce) + b"\n")
        said = await asyncio.wait_for(reader.readline(), _WAIT_S)
        if said != b"ok\n":
            writer.transport.abort()
            raise OSError("its agent does not know this key, or its engine does not answer")
        return reader, writer

    async def _copy(self, image: str, source: TcpAddress, target: TcpAddress) -> None:
        from_reader, from_writer = await self._agent(source)
        to_reader, to_writer = await self._agent(target)
        try:
            from_writer.write(request("GET", f"/images/{image}/get", "Connection: close"))
            status = await status_of(from_reader)
            if status != 200:
                raise OSError(f"the engine answered {status} when it was asked for {image}")
            # The answer is already chunked, including its final chunk.
            about = ("Connection: close", "Transfer-Encoding: chunked")
            to_writer.write(request("POST", "/images/load?quiet=1", *about))
            while data := await from_reader.read(1 << 16):
                to_writer.write(data)
                await to_writer.drain()
            status = await status_of(to_reader)
            said = await to_reader.read()
            if status != 200 or b'"error"' in said:
                raise OSError(f"the engine of the node answered {status}: {said[-200:].decode(errors='replace')}")
        finally:
            from_writer.close()
            to_writer.close()


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno is not None:
        return os.strerror(error.errno)
    return " ".join(str(error).split()) or "it does not answer"


def _proof(key: bytes, nonce: str) -> bytes:
    return hmac.new(key, nonce.encode(), hashlib.sha256).hexdigest().encode()


async def _connect(address: TcpAddress) -> Streams:
    streams = await asyncio.wait_for(asyncio.open_connection(address.host, address.port, limit=1 << 16), _WAIT_S)
    end: socket.socket = streams[1].get_extra_info("socket")
    keep_alive(end, idle_s=2, interval_s=1)
    with contextlib.suppress(OSError, AttributeError):
        end.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _SILENCE_MS)
    return streams


async def _join(here: Streams, there: Streams) -> None:
    try:
        await copy_both(here[0], there[1], there[0], here[1])
    finally:
        for _reader, writer in (here, there):
            writer.close()
