"""Reads HTTP/1.1 requests, strictly: what two readers could read in two ways is refused. source: RFC 9112."""

from __future__ import annotations

import asyncio
import re
from typing import NamedTuple

# Bytes of a request line with all headers, and of a chunk's size line. source: ours, as common servers.
HEAD_LIMIT = 64 * 1024
_LINE_LIMIT = 4096

_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_REQUEST_LINE = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~\x80-\xff]+) HTTP/(\d)\.(\d)")
_ORIGIN = re.compile(r"https?://[^/?#]*", re.IGNORECASE)


class ProtocolError(Exception):
    """The request cannot be read, so the connection ends after the answer."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Head(NamedTuple):
    """Header names are in lower case, repeated ones joined. `length` None: the body is chunked."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    keep_alive: bool
    is_http_11: bool
    length: int | None
    expects_continue: bool


async def read_head(reader: asyncio.StreamReader) -> Head | None:
    """None: the client closed the connection between two requests. Raises ProtocolError."""
    try:
        raw = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError as error:
        if error.partial.strip():
            raise ProtocolError(400, "the request ends in the middle of its head") from None
        return None
    except asyncio.LimitOverrunError:
        raise ProtocolError(431, f"the request's head has more than {HEAD_LIMIT} bytes") from None
    first, *lines = raw[:-4].decode("latin-1").lstrip("\r\n").split("\r\n")
    line = _REQUEST_LINE.fullmatch(first)
    if line is None:
        raise ProtocolError(400, "the first line is not that of an HTTP request")
    if line[3] != "1":
        raise ProtocolError(505, "only HTTP/1.0 and HTTP/1.1 are spoken here")
    is_11 = line[4] != "0"
    headers = _headers(lines)
    if is_11 and "host" not in headers:
        raise ProtocolError(400, "the Host header is missing")
    path, _, query = _ORIGIN.sub("", line[2].partition("#")[0], count=1).partition("?")
    wishes = {wish.strip().lower() for wish in headers.get("connection", "").split(",")}
    expected = headers.get("expect", "").lower()
    if expected not in ("", "100-continue"):
        raise ProtocolError(417, "only Expect: 100-continue is known here")
    length = _length(headers, is_11)
    keep_alive = "close" not in wishes and (is_11 or "keep-alive" in wishes)
    return Head(
        line[1], path or "/", query, headers, keep_alive, is_11, length, bool(expected) and is_11 and length != 0
    )


async def read_body(reader: asyncio.StreamReader, length: int | None, limit: int) -> bytes:
    """The whole body. Raises ProtocolError, 413 when it has more than `limit` bytes."""
    try:
        if length is None:
            return await _read_chunked(reader, limit)
        if length > limit:
            raise _too_large(limit)
        return await reader.readexactly(length)
    except asyncio.IncompleteReadError:
        raise ProtocolError(400, "the request ends in the middle of its body") from None
    except asyncio.LimitOverrunError:
        raise ProtocolError(400, "a line of the chunked body is too long") from None


async def _read_chunked(reader: asyncio.StreamReader, limit: int) -> bytes:
    pieces: list[bytes] = []
    total = 0
    while True:
        size_text = (await _line(reader)).partition(b";")[0].strip()
        if not re.fullmatch(rb"[0-9A-Fa-f]{1,16}", size_text):
            raise ProtocolError(400, "the size of a chunk is not a hexadecimal number")
        size = int(size_text, 16)
        if size == 0:
            break
        total += size
        if total > limit:
            raise _too_large(limit)
        pieces.append(await reader.readexactly(size))
        if await reader.readexactly(2) != b"\r\n":
            raise ProtocolError(400, "a chunk is longer than its size says")
    for _ in range(100):  # trailers, which nobody here reads
        if not await _line(reader):
            return b"".join(pieces)
    raise ProtocolError(400, "the chunked body has too many trailers")


async def _line(reader: asyncio.StreamReader) -> bytes:
    line = await reader.readuntil(b"\r\n")
    if len(line) > _LINE_LIMIT:
        raise ProtocolError(400, "a line of the chunked body is too long")
    return line[:-2]


def _headers(lines: list[str]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        if not colon or not _TOKEN.fullmatch(name) or "\n" in value or "\r" in value or "\0" in value:
            raise ProtocolError(400, "a header line is broken")
        name = name.lower()
        value = value.strip(" \t")
        if name in headers and name in ("content-length", "host", "transfer-encoding"):
            raise ProtocolError(400, f"the header {name} comes twice")
        separator = "; " if name == "cookie" else ", "
        headers[name] = f"{headers[name]}{separator}{value}" if name in headers else value
    return headers


def _length(headers: dict[str, str], is_11: bool) -> int | None:
    coding = headers.get("transfer-encoding")
    length = headers.get("content-length")
    if coding is not None:
        if length is not None or not is_11:
            raise ProtocolError(400, "Transfer-Encoding with Content-Length, or in HTTP/1.0, could be read in two ways")
        if coding.lower() != "chunked":
            raise ProtocolError(501, f"the transfer coding {coding} is not known here")
        return None
    if length is None:
        return 0
    if not re.fullmatch(r"[0-9]{1,18}", length):
        raise ProtocolError(400, "Content-Length is not a number")
    return int(length)


def _too_large(limit: int) -> ProtocolError:
    return ProtocolError(
        413, f"the body has more than {limit} bytes ({limit // (1024 * 1024)} MiB), which is the limit"
    )
