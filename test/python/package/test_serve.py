"""The program of a load-balanced worker: its ports, its end, and the same routes under an ASGI server."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import time
from typing import Any

from app_support import PYTHON
from route_support import RouteTest
from server_support import Client

HANDLER = """
    from svc.runtime import load_balanced
    app = load_balanced([("GET", "/hello", "api_app", "hello"), ("GET", "/held", "api_app", "held")], endpoint="my api")
    if __name__ == "__main__":
        app.serve()
"""

APP = """
    import time
    import svc
    api = svc.Endpoint(name="my api")

    @api.get("/hello")
    async def hello(): return "hi"

    @api.get("/held")
    def held():
        print("inside", flush=True)
        while not __import__("os").path.exists("go"):
            time.sleep(0.005)
        return "done"
"""

HELLO = b"GET /hello HTTP/1.1\r\nHost: x\r\n\r\n"


class Program(RouteTest):
    def start(self, **env: str) -> subprocess.Popen[str]:
        self.write("api_app.py", APP)
        self.write("handler_my api.py", HANDLER)
        process = subprocess.Popen(
            [sys.executable, "handler_my api.py"],
            env={"PATH": os.environ["PATH"], "PYTHONPATH": str(PYTHON), **env},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

        def end() -> None:
            process.kill()
            process.communicate()

        self.addCleanup(end)
        return process

    def own_port(self) -> int:
        """A port that nobody else gets: taken by a socket that does not listen, and that a server may share."""
        taken = socket.socket()
        self.addCleanup(taken.close)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port

    def connect(self, port: int) -> Client:
        client = Client(port)
        self.addCleanup(client.close)
        return client

    def test_ports_and_a_graceful_end(self) -> None:
        port, health = self.own_port(), self.own_port()
        process = self.start(PORT=str(port), PORT_HEALTH=str(health))
        assert process.stderr is not None and process.stdout is not None
        self.assertEqual(
            process.stderr.readline(), f"svc: endpoint my api listens on 127.0.0.1:{port} and 127.0.0.1:{health}\n"
        )
        ping = b"GET /ping HTTP/1.1\r\nHost: x\r\n\r\n"
        self.assertEqual(self.connect(port).ask(HELLO).body, b'"hi"')
        for at in (port, health):
            self.assertEqual(self.connect(at).ask(ping)[::2], (200, b'{"status":"healthy"}'))
        self.assertEqual(self.connect(health).ask(HELLO).status, 404)

        held = self.connect(port)
        held.send(b"GET /held HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertEqual(process.stdout.readline(), "inside\n")
        process.send_signal(signal.SIGTERM)
        until = time.monotonic() + 20
        while time.monotonic() < until:
            try:
                self.connect(port).close()
            except ConnectionError:
                break
        self.assertEqual(self.connect(health).ask(ping).status, 200)
        self.write("go", "")
        self.assertEqual(held.read().body, b'"done"')
        self.assertEqual(process.wait(90), 0)

    def test_a_second_signal_ends_it_at_once(self) -> None:
        port = self.own_port()
        process = self.start(PORT=str(port))
        assert process.stderr is not None and process.stdout is not None
        process.stderr.readline()
        held = self.connect(port)
        held.send(b"GET /held HTTP/1.1\r\nHost: x\r\n\r\n")
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        until = time.monotonic() + 20
        while process.poll() is None and time.monotonic() < until:
            process.send_signal(signal.SIGTERM)
            time.sleep(0.01)
        self.assertEqual(process.returncode, 1)

    def test_a_wrong_port_is_told(self) -> None:
        process = self.start(PORT="http")
        self.assertEqual(process.communicate(timeout=90)[1], "svc: PORT must be a port number, not 'http'\n")
        self.assertEqual(process.returncode, 1)


class Asgi(RouteTest):
    def call(self, scope: dict[str, Any], *received: dict[str, Any]) -> list[dict[str, Any]]:
        sent: list[dict[str, Any]] = []
        waiting = list(received)

        async def receive() -> dict[str, Any]:
            return waiting.pop(0)

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        asyncio.run(self.served(scope, receive, send))
        return sent

    def setUp(self) -> None:
        super().setUp()
        self.served = self.routes("""
            import svc
            api = svc.Endpoint(name="api")
            @api.post("/items/{name}")
            def add(name: str, x: int, q: str = ""): return [name, x, q]
            @api.get("/stream")
            async def stream():
                yield "a"
                yield "b"
        """)

    def scope(self, method: str, path: str, query: bytes = b"") -> dict[str, Any]:
        return {"type": "http", "method": method, "path": path, "raw_path": path.encode(), "query_string": query,
                "headers": [(b"content-type", b"application/json")]}  # fmt: skip

    def test_a_request(self) -> None:
        start, body = self.call(
            self.scope("POST", "/items/a", b"q=1"),
            {"type": "http.request", "body": b'{"x"', "more_body": True},
            {"type": "http.request", "body": b": 5}"},
        )
        self.assertEqual((start["status"], json.loads(body["body"])), (200, ["a", 5, "1"]))
        self.assertIn((b"content-length", str(len(body["body"])).encode()), start["headers"])

    def test_a_stream(self) -> None:
        _, *bodies = self.call(self.scope("GET", "/stream"), {"type": "http.request"})
        self.assertEqual(
            [(body["body"], body.get("more_body", False)) for body in bodies],
            [(b"a", True), (b"b", True), (b"", False)],
        )

    def test_too_large_a_body(self) -> None:
        piece = {"type": "http.request", "body": b"x" * (16 * 1024 * 1024), "more_body": True}
        start, _ = self.call(self.scope("POST", "/items/a"), piece, piece, {"type": "http.request", "body": b""})
        self.assertEqual(start["status"], 413)

    def test_the_life_of_the_server(self) -> None:
        sent = self.call({"type": "lifespan"}, {"type": "lifespan.startup"}, {"type": "lifespan.shutdown"})
        self.assertEqual(
            [message["type"] for message in sent], ["lifespan.startup.complete", "lifespan.shutdown.complete"]
        )
