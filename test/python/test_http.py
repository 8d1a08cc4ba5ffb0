"""The connection to the service, against answers byte by byte."""

import socket
import threading
import unittest
from dataclasses import replace

from support import PATIENCE_S, FakeService
from svc_worker._http import Connection, _read_answer
from svc_worker._protocol import read_settings


class Exchanges(unittest.TestCase):
    def setUp(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.settimeout(PATIENCE_S)
        self.addCleanup(self.listener.close)
        service = FakeService()
        settings = read_settings(service.environment())
        service.go_away()
        self.connection = Connection(replace(settings, port=self.listener.getsockname()[1]), PATIENCE_S)
        self.addCleanup(self.connection.close)
        self.requests: list[bytes] = []

    def serve(self, *connections: list[bytes]) -> None:
        """Accept one connection after the other; in each, give these answers and then close it."""

        def run() -> None:
            for answers in connections:
                with self.listener.accept()[0] as accepted:
                    for answer in answers:
                        self.requests.append(accepted.recv(65536))
                        accepted.sendall(answer)

        thread = threading.Thread(target=run)
        thread.start()
        self.addCleanup(thread.join)

    def test_head_and_body_are_one_packet(self) -> None:
        self.serve([b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"])
        self.assertEqual(self.connection.post("/p?w=1", b'{"a":1}').body, b"ok")
        head, _, body = self.requests[0].partition(b"\r\n\r\n")
        self.assertEqual(body, b'{"a":1}')
        lines = head.split(b"\r\n")
        self.assertEqual(lines[0], b"POST /p?w=1 HTTP/1.1")
        self.assertIn(b"Authorization: worker-token", lines)
        self.assertIn(b"Content-Length: 7", lines)

    def test_every_framing_of_an_answer_is_understood_on_one_connection(self) -> None:
        self.serve(
            [
                b"HTTP/1.1 200 OK\r\ncontent-LENGTH: 3\r\nRetry-After:  4 \r\n\r\nabc",
                b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n0\r\n\r\n",
                b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
                b"HTTP/1.1 200 OK\r\n\r\nuntil the end",
            ]
        )
        answers = [self.connection.get("/?w=1") for _ in range(4)]
        found = [(answer.status, answer.body) for answer in answers]
        self.assertEqual(found, [(200, b"abc"), (200, b"abc"), (204, b""), (200, b"until the end")])
        self.assertEqual(answers[0].headers["retry-after"], "4")

    def test_a_connection_the_service_has_closed_while_idle_is_opened_anew(self) -> None:
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1"
        self.serve([answer], [answer])
        self.assertEqual([self.connection.get("/?w=1").body for _ in range(2)], [b"1", b"1"])

    def test_broken_answers_are_connection_errors(self) -> None:
        broken = [
            b"",
            b"nonsense\r\n\r\n",
            b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
            b"HTTP/1.1 200 OK\r\nContent-Le",
            b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        ]
        self.serve(*([answer] for answer in broken))
        for answer in broken:
            with self.subTest(answer), self.assertRaises(ConnectionError):
                self.connection.get("/?w=1")

    def test_an_abort_ends_a_held_request(self) -> None:
        held = threading.Event()
        failed: list[BaseException] = []

        def ask() -> None:
            try:
                self.connection.get("/?w=1")
            except OSError as error:
                failed.append(error)

        asking = threading.Thread(target=ask)
        asking.start()
        accepted, _ = self.listener.accept()
        with accepted:
            accepted.recv(65536)
            held.set()
            self.connection.abort()
            asking.join(PATIENCE_S)
        self.assertEqual(len(failed), 1)
        with self.assertRaises(ConnectionAbortedError):
            self.connection.get("/?w=1")

    def test_an_answer_that_has_arrived_before_the_abort_is_delivered(self) -> None:
        first, second = (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n" + body for body in (b"1", b"2"))
        self.serve([first + second])
        self.assertEqual(self.connection.get("/?w=1").body, b"1")
        self.connection.abort()
        reader = self.connection._reader
        assert reader is not None
        self.assertEqual(_read_answer(reader, reader.readline())[0].body, b"2")
