"""A tree of files copied from the store of one node to that of another one.

On each node is a container with svc_files. One sends and the other one receives, as commands that their engines run in
these containers; the hub joins their streams, so that no data goes over the connection to the service. The progress of
the sender goes to the client of the control socket.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import struct
from collections.abc import Awaitable, Callable
from typing import Any

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]
Connect = Callable[[], Awaitable[Streams]]

# Of the service's own containers with files, and of trees.
_CONTAINER = re.compile(r"drydock-[a-z0-9]+-files")
_TREE = re.compile(r"[0-9a-f]{64}")
_ID = re.compile(rb'"Id":\s*"([0-9a-f]+)"')
_FOLDER = "/files"
# A frame of the engine: which stream it is of, and how many bytes follow. Source: Docker's API, attach to a container.
_FRAME = struct.Struct(">B3xI")
_OUTPUT = 1
_PIECE_BYTES = 1 << 16
_LINE = 4096
_HEAD_S = 30.0


async def copy_tree(wish: dict[str, Any], give_on: Connect, receive_on: Connect, answer: asyncio.StreamWriter) -> None:
    """Copy it. `answer` gets lines of JSON of how far it is, or why it ended. Raises OSError when it broke."""
    container, tree = str(wish["container"]), str(wish["tree"])
    if not _CONTAINER.fullmatch(container) or not _TREE.fullmatch(tree):
        raise ValueError("that is no container with files, or no tree")
    giver = await _run(give_on, container, ["give", _FOLDER, tree])
    try:
        receiver = await _run(receive_on, container, ["receive", _FOLDER])
    except BaseException:
        giver[1].close()
        raise
    told = _Told(answer)
    complaint = bytearray()
    halves = [
        asyncio.create_task(_frames(giver[0], receiver[1], told.lines)),
        asyncio.create_task(_frames(receiver[0], giver[1], complaint.extend)),
    ]
    try:
        # Each ends when the other one has: the giving one when it has heard of the tree.
        await asyncio.wait(halves, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait(halves[:1], timeout=_HEAD_S)
    finally:
        for half in halves:
            half.cancel()
        await asyncio.gather(*halves, return_exceptions=True)
        for _reader, writer in (giver, receiver):
            writer.close()
    if not told.is_given:
        said = (complaint or told.complaint).decode(errors="replace").strip().splitlines()
        raise OSError(said[-1] if said else "the connection between the nodes broke")


class _Told:
    """Progress of the sending store, line by line."""

    def __init__(self, answer: asyncio.StreamWriter) -> None:
        self._answer = answer
        self._rest = b""
        self.is_given = False
        self.complaint = b""

    def lines(self, data: bytes) -> None:
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            try:
                message = json.loads(line)
            except ValueError:
                self.complaint = line  # the last line of Python's own says why it ended
                continue
            self.is_given = self.is_given or "given" in message
            self._answer.write(line + b"\n")


async def _run(connect: Connect, container: str, argv: list[str]) -> Streams:
    """Begin a command in a container. Its output comes in frames; its input is sent as it is."""
    made = {"Cmd": ["python3", "-m", "svc_files", *argv]}
    for stream in ("AttachStdin", "AttachStdout", "AttachStderr"):
        made[stream] = True  # type: ignore[assignment]
    reader, writer = await connect()
    try:
        _post(writer, f"/containers/{container}/exec", made, "Connection: close")
        await _head(reader, 201)
        found = _ID.search(await asyncio.wait_for(reader.read(_LINE), _HEAD_S))
    finally:
        writer.close()
    if found is None:
        raise OSError("the engine of a node begins no command")
    reader, writer = await connect()
    try:
        start = {"Detach": False, "Tty": False}
        _post(writer, f"/exec/{found[1].decode()}/start", start, "Connection: Upgrade", "Upgrade: tcp")
        await _head(reader, 101)
    except BaseException:
        writer.close()
        raise
    return reader, writer


def _post(writer: asyncio.StreamWriter, path: str, body: dict[str, Any], *headers: str) -> None:
    content = json.dumps(body).encode()
    about = ("Content-Type: application/json", f"Content-Length: {len(content)}", *headers)
    writer.write(request("POST", path, *about) + content)


async def _head(reader: asyncio.StreamReader, wanted: int) -> None:
    status = await asyncio.wait_for(status_of(reader), _HEAD_S)
    if status != wanted:
        raise OSError(f"the engine of a node answered {status} when files were to be copied")


def request(method: str, path: str, *headers: str) -> bytes:
    """The head of a request to an engine."""
    return "\r\n".join((f"{method} {path} HTTP/1.1", "Host: engine", *headers, "", "")).encode()


async def status_of(reader: asyncio.StreamReader) -> int:
    """The status of an answer, whose head is read."""
    return int((await reader.readuntil(b"\r\n\r\n")).split(b" ", 2)[1])


async def _frames(reader: asyncio.StreamReader, to: asyncio.StreamWriter, other: Callable[[bytes], None]) -> None:
    """Copy the output of a command, and give what it says otherwise to `other`."""
    with contextlib.suppress(asyncio.IncompleteReadError):
        while True:
            stream, left = _FRAME.unpack(await reader.readexactly(_FRAME.size))
            while left > 0:
                piece = await reader.read(min(left, _PIECE_BYTES))
                if not piece:
                    return
                left -= len(piece)
                if stream != _OUTPUT:
                    other(piece)
                    continue
                to.write(piece)
                await to.drain()
