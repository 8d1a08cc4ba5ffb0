"""The way from the manager of a swarm to the engine of a node: who is let through, and where it leads."""

from __future__ import annotations

import json
import socket
import unittest
from pathlib import Path

from running import PATIENCE_S, RunsPrograms

SERVICE = ("--service", "s", "--after", "1000")


class Hub(RunsPrograms):
    def setUp(self) -> None:
        super().setUp()
        self.key = self.folder / "key"
        self.key.write_bytes(b"a key of the swarm")

    def agent(self, *more: str) -> str:
        engine = ("--engine", str(self.way), "--to", "127.0.0.1:1", "--key", str(self.key), *SERVICE)
        return self.start_listening("agent", "--listen", "127.0.0.1:0", *engine, *more)[1]

    def hub(self, key: Path | None = None) -> None:
        to = ("--to", f"unix:{self.folder}/service.sock", "--folder", str(self.folder), "--key", str(key or self.key))
        self.start_listening("hub", "--listen", "127.0.0.1:0", *to)

    def ask(self, wish: object) -> tuple[socket.socket, str]:
        client = socket.socket(socket.AF_UNIX)
        self.addCleanup(client.close)
        client.settimeout(PATIENCE_S)
        client.connect(str(self.folder / "hub.sock"))
        client.sendall(f"{json.dumps(wish)}\n".encode())
        said = b""
        while not said.endswith(b"\n") and (piece := client.recv(1)):
            said += piece
        return client, said.decode().strip()

    def test_leads_to_the_engine_behind_an_agent(self) -> None:
        engine = self.listener()
        self.hub()
        client, said = self.ask({"to": self.agent()})
        self.assertEqual(said, "ok")
        client.sendall(b"GET /info")
        there = engine.accept()[0]
        self.addCleanup(there.close)
        self.assertEqual(there.recv(9), b"GET /info")
        there.sendall(b"200 OK")
        self.assertEqual(client.recv(6), b"200 OK")

    def test_lets_nobody_through_who_has_another_key(self) -> None:
        engine = self.listener()
        engine.settimeout(0.5)
        other = self.folder / "other"
        other.write_bytes(b"a key of nobody")
        self.hub(other)
        _client, said = self.ask({"to": self.agent()})
        self.assertNotEqual(said, "ok")
        with self.assertRaises(TimeoutError):
            engine.accept()

    def test_an_agent_says_nothing_to_other_networks(self) -> None:
        self.listener()
        host, port = self.agent("--allow", "10.0.0.0/8").split(":")
        with socket.create_connection((host, int(port)), PATIENCE_S) as client:
            with self.assertRaises(ConnectionResetError):
                client.sendall(b"anything\n")
                if client.recv(1) == b"":
                    raise ConnectionResetError

    def test_opens_a_socket_for_a_worker_and_none_with_another_name(self) -> None:
        self.hub()
        with socket.create_server(("127.0.0.1", 0)) as worker:
            name = f"to-127.0.0.1-{worker.getsockname()[1]}.sock"
            self.assertEqual(self.ask({"listen": name})[1], "ok")
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(self.folder / name))
                worker.accept()[0].close()
        self.assertIn("names no address", self.ask({"listen": "../to-127.0.0.1-1.sock"})[1])

    def test_says_why_an_agent_is_not_reached(self) -> None:
        self.hub()
        with socket.create_server(("127.0.0.1", 0)) as free:
            address = f"127.0.0.1:{free.getsockname()[1]}"
        self.assertIn("refused", self.ask({"to": address})[1].lower())


if __name__ == "__main__":
    unittest.main()
