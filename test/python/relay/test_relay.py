"""Traffic through the relay, byte by byte, on real sockets."""

from __future__ import annotations

import os
import select
import signal
import socket
import struct
import subprocess
import threading
import time
import unittest

from running import PATIENCE_S, RunsPrograms, until

MANY = 200


class Relaying(RunsPrograms):
    def relay(self, *more: str) -> subprocess.Popen[str]:
        process, address = self.start_listening(
            "relay", "--listen", "127.0.0.1:0", "--to", f"unix:{self.way}", *more
        )
        self.port = int(address.rsplit(":", 1)[1])
        return process

    def client(self) -> socket.socket:
        client = socket.create_connection(("127.0.0.1", self.port), PATIENCE_S)
        self.addCleanup(client.close)
        return client

    def pair(self, listener: socket.socket) -> tuple[socket.socket, socket.socket]:
        """A worker's end, and the service's end of the same connection."""
        client = self.client()
        service = listener.accept()[0]
        service.settimeout(PATIENCE_S)
        self.addCleanup(service.close)
        return client, service

    def test_bytes_go_both_ways_on_many_connections_at_once(self) -> None:
        listener = self.listener()
        self.relay()

        def echo(end: socket.socket) -> None:
            with end:
                while data := end.recv(65536):
                    end.sendall(data)

        def accept() -> None:
            for _ in range(MANY):
                threading.Thread(target=echo, args=(listener.accept()[0],), daemon=True).start()

        threading.Thread(target=accept, daemon=True).start()
        clients = [self.client() for _ in range(MANY)]
        sent = [os.urandom(20_000) for _ in clients]
        for client, data in zip(clients, sent, strict=True):
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
        self.assertEqual([read_all(client) for client in clients], sent)

    def test_a_side_that_has_said_all_still_hears_the_answer(self) -> None:
        listener = self.listener()
        self.relay()
        client, service = self.pair(listener)
        client.sendall(b"question")
        client.shutdown(socket.SHUT_WR)
        self.assertEqual(read_all(service), b"question")
        answer = os.urandom(3_000_000)
        threading.Thread(target=lambda: (service.sendall(answer), service.close()), daemon=True).start()
        self.assertEqual(read_all(client), answer)

    def test_a_side_that_does_not_read_slows_the_other_down(self) -> None:
        listener = self.listener()
        self.relay()
        client, service = self.pair(listener)
        client.setblocking(False)
        sent = 0
        # The system's buffers grow for a while: they are full when they take nothing for a moment.
        while select.select([], [client], [], 0.5)[1]:
            sent += client.send(bytes(65536))
            self.assertLess(sent, 64_000_000)
        client.settimeout(PATIENCE_S)
        client.shutdown(socket.SHUT_WR)
        self.assertEqual(len(read_all(service)), sent)

    def test_what_breaks_on_one_side_breaks_the_other(self) -> None:
        listener = self.listener()
        self.relay()
        client, service = self.pair(listener)
        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        client.close()
        self.assertEqual(read_all(service), b"")
        client, service = self.pair(listener)
        service.close()
        self.assertEqual(read_all(client), b"")
        with self.assertRaises(OSError):
            until(lambda: not client.send(b"x"), "the end of the client's half")

    def test_calls_that_break_before_the_other_side_is_reached_leave_nothing(self) -> None:
        listener = self.listener()
        self.relay()
        for _ in range(MANY):
            client = self.client()
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            client.close()
            with listener.accept()[0] as service:
                service.settimeout(PATIENCE_S)
                self.assertEqual(read_all(service), b"")

    def test_while_there_is_no_reverse_tunnel_calls_are_refused_at_once_and_then_they_go_through(self) -> None:
        self.relay()
        with self.assertRaises(ConnectionResetError):
            self.client().recv(1)
        listener = self.listener()
        client, service = self.pair(listener)
        client.sendall(b"x")
        self.assertEqual(service.recv(1), b"x")

    def test_a_new_socket_cuts_what_hangs_on_the_old_one(self) -> None:
        old = self.listener()
        self.relay()
        lost, _held = self.pair(old)
        new = self.listener()
        client, service = self.pair(new)
        with self.assertRaises(ConnectionResetError):
            lost.recv(1)
        client.sendall(b"x")
        self.assertEqual(service.recv(1), b"x")

    def test_only_allowed_networks_may_connect(self) -> None:
        listener = self.listener()
        self.relay("--allow", "192.0.2.0/24")
        with self.assertRaises(ConnectionResetError):
            self.client().recv(1)
        self.relay("--allow", "192.0.2.0/24", "--allow", "127.0.0.0/8")
        self.pair(listener)

    def test_open_connections_take_no_time_while_nothing_is_sent(self) -> None:
        listener = self.listener()
        process = self.relay()
        for _ in range(50):
            self.pair(listener)
        before = cpu_s(process.pid)
        time.sleep(1.5)  # a span is what is measured
        self.assertLess(cpu_s(process.pid) - before, 0.15)

    def test_an_address_that_is_taken_is_said(self) -> None:
        self.relay()
        second = self.start("relay", "--listen", f"127.0.0.1:{self.port}", "--to", f"unix:{self.way}")
        _, error = second.communicate(timeout=PATIENCE_S)
        self.assertEqual(second.returncode, 1)
        self.assertEqual(error, f"cannot listen on 127.0.0.1:{self.port}: Address already in use\n")

    def test_it_ends_when_it_is_told_to_and_cuts_what_is_open(self) -> None:
        listener = self.listener()
        process = self.relay()
        client, _service = self.pair(listener)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(PATIENCE_S), 0)
        self.assertEqual(process.stderr.read() if process.stderr else None, "")
        with self.assertRaises(ConnectionResetError):
            client.recv(1)


class OverTcp(RunsPrograms):
    def test_the_reverse_tunnel_may_be_an_address(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listener:
            to = f"127.0.0.1:{listener.getsockname()[1]}"
            _process, address = self.start_listening("relay", "--listen", "127.0.0.1:0", "--to", to)
            with socket.create_connection(("127.0.0.1", int(address.rsplit(":", 1)[1])), PATIENCE_S) as client:
                client.sendall(b"x")
                with listener.accept()[0] as service:
                    self.assertEqual(service.recv(1), b"x")


def read_all(end: socket.socket) -> bytes:
    """All until the other side has ended, in whichever way."""
    pieces: list[bytes] = []
    try:
        while piece := end.recv(1 << 20):
            pieces.append(piece)
    except ConnectionResetError:
        pass
    return b"".join(pieces)


def cpu_s(pid: int) -> float:
    """Seconds of CPU that a process has taken."""
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    unittest.main()
