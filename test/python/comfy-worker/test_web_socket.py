"""The client for WebSockets before a server that sends what a test says, byte for byte."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import socket
import struct
import threading
import unittest

import comfy_support  # noqa: F401  the folder of the worker
from comfy_worker._web_socket import ACCEPT_KEY, MESSAGE_MAX, SocketClosed, WebSocket


class OneClient:
    """A server for one client."""

    def __init__(self, test: unittest.TestCase, accept: str | None = None) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.connected = threading.Event()
        self._accept, self._test = accept, test
        threading.Thread(target=self._serve, daemon=True).start()
        test.addCleanup(self._listener.close)

    def _serve(self) -> None:
        self.connection, _ = self._listener.accept()
        self._test.addCleanup(self.connection.close)
        head = b""
        while b"\r\n\r\n" not in head:
            head += self.connection.recv(4096)
        key = next(line.split(": ")[1] for line in head.decode().split("\r\n") if line.startswith("Sec-WebSocket-Key"))
        accept = self._accept or base64.b64encode(hashlib.sha1((key + ACCEPT_KEY).encode()).digest()).decode()
        lines = ["HTTP/1.1 101 Switching Protocols", f"Sec-WebSocket-Accept: {accept}", "", ""]
        self.connection.sendall("\r\n".join(lines).encode())
        self.connected.set()

    def send(self, data: bytes) -> None:
        assert self.connected.wait(90)
        self.connection.sendall(data)

    def read_frame(self) -> tuple[int, bytes]:
        head = self.connection.recv(2, socket.MSG_WAITALL)
        mask = self.connection.recv(4, socket.MSG_WAITALL)
        data = self.connection.recv(head[1] & 127, socket.MSG_WAITALL)
        return head[0] & 15, bytes(byte ^ mask[at % 4] for at, byte in enumerate(data))


def frame(opcode: int, data: bytes, final: bool = True) -> bytes:
    first = (128 if final else 0) | opcode
    if len(data) < 126:
        return struct.pack(">BB", first, len(data)) + data
    if len(data) < 65536:
        return struct.pack(">BBH", first, 126, len(data)) + data
    return struct.pack(">BBQ", first, 127, len(data)) + data


class WebSockets(unittest.TestCase):
    def open(self) -> tuple[OneClient, WebSocket]:
        server = OneClient(self)
        client = WebSocket("127.0.0.1", server.port, "/ws", 90)
        self.addCleanup(client.close)
        return server, client

    def test_messages_of_each_length_arrive(self) -> None:
        server, client = self.open()
        for size in (0, 125, 126, 65535, 65536, 1_000_000):
            threading.Thread(target=server.send, args=[frame(2, b"x" * size)]).start()
            self.assertEqual(client.receive(90), b"x" * size)

    def test_parts_are_joined_around_a_ping_which_is_answered(self) -> None:
        server, client = self.open()
        server.send(frame(1, b"half ", final=False) + frame(9, b"here") + frame(0, b"\xc3\xa9"))
        self.assertEqual(client.receive(90), "half é")
        self.assertEqual(server.read_frame(), (10, b"here"))

    def test_half_a_frame_is_kept_for_the_next_call(self) -> None:
        server, client = self.open()
        whole = frame(1, b"a text")
        server.send(whole[:3])
        self.assertIsNone(client.receive(0))
        server.send(whole[3:])
        self.assertEqual(client.receive(90), "a text")

    def test_frames_without_a_message_do_not_hold_the_client_up(self) -> None:
        server, client = self.open()

        def flood() -> None:
            with contextlib.suppress(OSError):
                while True:
                    server.send(frame(10, b"x" * 100) * 1000)

        threading.Thread(target=flood, daemon=True).start()
        self.assertIsNone(client.receive(0.1))

    def test_what_is_sent_is_masked(self) -> None:
        server, client = self.open()
        client.send("hello")
        self.assertTrue(server.connected.wait(90))
        self.assertEqual(server.read_frame(), (1, b"hello"))

    def test_an_end_is_told_with_its_code(self) -> None:
        server, client = self.open()
        server.send(frame(8, struct.pack(">H", 1001)))
        with self.assertRaisesRegex(SocketClosed, r"closed the connection \(1001\)"):
            client.receive(90)

    def test_a_lost_connection_is_told(self) -> None:
        server, client = self.open()
        self.assertTrue(server.connected.wait(90))
        server.connection.close()
        with self.assertRaisesRegex(SocketClosed, "the connection was closed"):
            client.receive(90)

    def test_a_message_that_is_too_long_ends_the_connection_before_it_is_read(self) -> None:
        server, client = self.open()
        server.send(struct.pack(">BBQ", 130, 127, MESSAGE_MAX + 1))
        with self.assertRaisesRegex(SocketClosed, "more than 16 MiB"):
            client.receive(90)

    def test_another_key_is_no_handshake(self) -> None:
        server = OneClient(self, accept="wrong")
        with self.assertRaises(SocketClosed):
            WebSocket("127.0.0.1", server.port, "/ws", 90)


if __name__ == "__main__":
    unittest.main()
