"""A client for WebSockets, as far as ComfyUI's messages need one. Source: RFC 6455."""

from __future__ import annotations

import base64
import hashlib
import os
import select
import socket
import struct
import time

ACCEPT_KEY = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
# Bytes of a message. source: ours; a text names the inputs of a node that failed, a preview has 40 KB.
MESSAGE_MAX = 16 * 1024 * 1024
HEAD_MAX = 64 * 1024


class SocketClosed(OSError):
    """The connection has ended; the text says why."""


class WebSocket:
    """One connection. Raises OSError if it cannot be opened, and SocketClosed when it ends."""

    def __init__(self, host: str, port: int, path: str, timeout: float) -> None:
        self._socket = socket.create_connection((host, port), timeout)
        self._buffer = bytearray()
        self._parts = bytearray()
        self._opcode = 0
        try:
            self._shake_hands(f"{host}:{port}", path, time.monotonic() + timeout)
        except BaseException:
            self._socket.close()
            raise

    def send(self, text: str) -> None:
        self._send(TEXT, text.encode())

    def receive(self, timeout: float) -> str | bytes | None:
        """The next message; None if none comes in time. Half a message is kept for the next call."""
        until = time.monotonic() + timeout
        while True:
            frame = self._take_frame()
            if frame is None:
                if not self._fill(until):
                    return None
                continue
            final, opcode, data = frame
            if opcode in (PING, PONG):
                if opcode == PING:
                    self._send(PONG, data)
                if time.monotonic() >= until:
                    return None
            elif opcode == CLOSE:
                code = struct.unpack(">H", data[:2])[0] if len(data) >= 2 else None
                raise SocketClosed("the server closed the connection" + ("" if code is None else f" ({code})"))
            else:
                self._opcode = opcode or self._opcode
                self._parts += data
                if len(self._parts) > MESSAGE_MAX:
                    raise SocketClosed(f"the server sent a message of more than {MESSAGE_MAX >> 20} MiB")
                if final:
                    message, self._parts = bytes(self._parts), bytearray()
                    return message.decode("utf-8", "replace") if self._opcode == TEXT else message

    def close(self) -> None:
        try:
            self._send(CLOSE, b"")
        except OSError:
            pass
        self._socket.close()

    def _shake_hands(self, host: str, path: str, until: float) -> None:
        key = base64.b64encode(os.urandom(16)).decode()
        lines = [f"GET {path} HTTP/1.1", f"Host: {host}", "Upgrade: websocket", "Connection: Upgrade"]
        lines += [f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13", "", ""]
        self._socket.sendall("\r\n".join(lines).encode())
        while b"\r\n\r\n" not in self._buffer:
            if len(self._buffer) > HEAD_MAX:
                raise SocketClosed("its answer is no handshake")
            if not self._fill(until):
                raise TimeoutError("the server did not answer the handshake")
        head, _, rest = bytes(self._buffer).partition(b"\r\n\r\n")
        self._buffer = bytearray(rest)
        status, *fields = head.decode("latin-1").split("\r\n")
        accept = base64.b64encode(hashlib.sha1((key + ACCEPT_KEY).encode()).digest()).decode()
        values = {name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in fields)}
        if " 101 " not in f"{status} " or values.get("sec-websocket-accept") != accept:
            raise SocketClosed(f"Handshake status {status.partition(' ')[2]}")

    def _fill(self, until: float) -> bool:
        """Reads available bytes; False when the time is over."""
        left = until - time.monotonic()
        ready, _, _ = select.select([self._socket], [], [], max(0.0, left))
        if not ready:
            return False
        data = self._socket.recv(256 * 1024)
        if not data:
            raise SocketClosed("the connection was closed")
        self._buffer += data
        return True

    def _take_frame(self) -> tuple[bool, int, bytes] | None:
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        size, at = buffer[1] & 127, 2
        if size > 125:
            width = 2 if size == 126 else 8
            if len(buffer) < at + width:
                return None
            size, at = int.from_bytes(buffer[at : at + width], "big"), at + width
        if size > MESSAGE_MAX:
            raise SocketClosed(f"the server sent a message of more than {MESSAGE_MAX >> 20} MiB")
        masked = bool(buffer[1] & 128)
        at += 4 if masked else 0
        if len(buffer) < at + size:
            return None
        first, data = buffer[0], bytes(buffer[at : at + size])
        if masked:
            data = _masked(data, bytes(buffer[at - 4 : at]))
        del buffer[: at + size]
        return bool(first & 128), first & 15, data

    def _send(self, opcode: int, data: bytes) -> None:
        size = len(data)
        head = struct.pack(">BB", 128 | opcode, 128 | size) if size < 126 else struct.pack(">BBH", 128 | opcode, 254, size)
        mask = os.urandom(4)
        self._socket.sendall(head + mask + _masked(data, mask))


def _masked(data: bytes, mask: bytes) -> bytes:
    return bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))
