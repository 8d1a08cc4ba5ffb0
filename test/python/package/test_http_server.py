"""The HTTP/1.1 server of load-balanced endpoints, byte for byte."""

import contextlib
import io
import threading

from server_support import ServerTest

APP = """
    import threading
    import svc

    api = svc.Endpoint(name="api")
    gate, inside = threading.Event(), threading.Semaphore(0)

    @api.get("/hello")
    async def hello(): return "hi"

    @api.post("/echo")
    async def echo(request: svc.Request): return svc.Response(body=request.body)

    @api.get("/none")
    def none(): return svc.Response(204)

    @api.get("/head")
    def head():
        headers = {"X-A": "1", "Connection": "x", "Content-Length": "7", "X-Evil": "a\\r\\nX-B: 1"}
        return svc.Response(200, headers, "body")

    @api.get("/length")
    def length(): return svc.Response(200, {"content-length": "4"}, "body")

    @api.get("/cookies")
    def cookies():
        class Foreign:
            status_code, body = 200, b""
            raw_headers = [(b"set-cookie", b"a=1"), (b"set-cookie", b"b=2")]
        return Foreign()

    @api.get("/held")
    def held():
        inside.release()
        gate.wait(90)
        return "done"

    @api.get("/pieces")
    def pieces():
        yield "one"
        inside.release()
        gate.wait(90)
        yield ""
        yield "two"

    @api.get("/breaks")
    async def breaks():
        yield "one"
        raise ValueError("in the middle")

    closed = threading.Event()

    @api.get("/endless")
    async def endless():
        import asyncio
        try:
            while True:
                yield "x" * 1000
                await asyncio.sleep(0)
        finally:
            closed.set()
"""

HOST = b"Host: x\r\n"
GET = b"GET /hello HTTP/1.1\r\n" + HOST + b"\r\n"
LIMIT = 30 * 1024 * 1024


def post(body: bytes, *headers: bytes, path: bytes = b"/echo") -> bytes:
    return b"POST " + path + b" HTTP/1.1\r\n" + HOST + b"".join(header + b"\r\n" for header in headers) + b"\r\n" + body


class HttpServer(ServerTest):
    def setUp(self) -> None:
        super().setUp()
        self.start(APP)
        self.app_module = self.import_app("api_app")

    def tearDown(self) -> None:
        self.app_module.gate.set()

    def test_connections_are_kept(self) -> None:
        client = self.connect()
        for _ in range(3):
            answer = client.ask(GET)
            self.assertEqual((answer.status, answer.body), (200, b'"hi"'))
            self.assertEqual(answer.headers["connection"], ["keep-alive"])
            self.assertEqual(answer.headers["content-length"], ["4"])

    def test_close_is_heard(self) -> None:
        client = self.connect()
        answer = client.ask(b"GET /hello HTTP/1.1\r\nHost: x\r\nConnection: Close\r\n\r\n")
        self.assertEqual((answer.headers["connection"], client.is_closed()), (["close"], True))

    def test_http_10(self) -> None:
        client = self.connect()
        self.assertEqual(client.ask(b"GET /hello HTTP/1.0\r\n\r\n").headers["connection"], ["close"])
        self.assertTrue(client.is_closed())
        client = self.connect()
        again = b"GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
        self.assertEqual([client.ask(again).status for _ in range(2)], [200, 200])
        client = self.connect()
        self.app_module.gate.set()
        answer = client.ask(b"GET /pieces HTTP/1.0\r\nConnection: keep-alive\r\n\r\n")
        self.assertEqual((answer.headers.get("transfer-encoding"), answer.body), (None, b"onetwo"))

    def test_requests_one_behind_the_other_in_one_packet(self) -> None:
        client = self.connect()
        client.send(GET + post(b"abc", b"Content-Length: 3") + GET)
        self.assertEqual([client.read().body for _ in range(3)], [b'"hi"', b"abc", b'"hi"'])

    def test_a_request_in_single_bytes(self) -> None:
        client = self.connect()
        for byte in post(b"abc", b"Content-Length: 3"):
            client.send(bytes([byte]))
        self.assertEqual(client.read().body, b"abc")

    def test_chunked_bodies(self) -> None:
        client = self.connect()
        body = b"3\r\nabc\r\nA;x=1\r\n0123456789\r\n0\r\nTrailer: 1\r\n\r\n"
        self.assertEqual(client.ask(post(body, b"Transfer-Encoding: chunked")).body, b"abc0123456789")
        self.assertEqual(client.ask(GET).status, 200)

    def test_expect_100_continue(self) -> None:
        client = self.connect()
        client.send(post(b"", b"Content-Length: 3", b"Expect: 100-continue"))
        self.assertEqual(client.read_head(), (100, {}))
        client.send(b"abc")
        self.assertEqual(client.read().body, b"abc")

    def test_head(self) -> None:
        client = self.connect()
        answer = client.ask(b"HEAD /head HTTP/1.1\r\nHost: x\r\n\r\n", head=True)
        self.assertEqual((answer.status, answer.headers["content-length"]), (200, ["4"]))
        self.assertEqual(client.ask(b"HEAD /endless HTTP/1.1\r\nHost: x\r\n\r\n", head=True).status, 200)
        self.assertTrue(self.app_module.closed.wait(90))
        self.assertEqual(client.ask(GET).status, 200)

    def test_a_route_cannot_set_framing_nor_smuggle_headers(self) -> None:
        headers = self.connect().ask(b"GET /head HTTP/1.1\r\nHost: x\r\n\r\n").headers
        self.assertEqual(
            (headers["x-a"], headers["connection"], headers["content-length"]), (["1"], ["keep-alive"], ["4"])
        )
        self.assertEqual((headers.get("x-evil"), headers.get("x-b")), (None, None))
        said = self.connect().ask(b"GET /length HTTP/1.1\r\nHost: x\r\n\r\n").headers
        self.assertEqual(said["content-length"], ["4"])

    def test_repeated_headers_are_kept(self) -> None:
        self.assertEqual(
            self.connect().ask(b"GET /cookies HTTP/1.1\r\nHost: x\r\n\r\n").headers["set-cookie"], ["a=1", "b=2"]
        )

    def test_204_has_no_body_and_no_length(self) -> None:
        client = self.connect()
        answer = client.ask(b"GET /none HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertEqual((answer.status, "content-length" in answer.headers), (204, False))
        self.assertEqual(client.ask(GET).status, 200)

    def test_404_405_and_422_keep_the_connection_also_with_a_body(self) -> None:
        client = self.connect()
        for path, status in ((b"/nothing", 404), (b"/hello", 405), (b"/echo", 200)):
            self.assertEqual(client.ask(post(b"abc", b"Content-Length: 3", path=path)).status, status)

    def test_the_body_limit(self) -> None:
        self.assertEqual(len(self.connect().ask(post(b"x" * LIMIT, b"Content-Length: %d" % LIMIT)).body), LIMIT)
        for headers, body in (
            ((b"Content-Length: %d" % (LIMIT + 1),), b"x" * (LIMIT + 1)),
            ((b"Content-Length: %d" % (LIMIT + 1), b"Expect: 100-continue"), b""),
            ((b"Transfer-Encoding: chunked",), b"%x\r\n" % (LIMIT + 1)),
            ((b"Transfer-Encoding: chunked",), b"%x\r\n%b\r\n2\r\n" % (LIMIT - 1, b"x" * (LIMIT - 1))),
        ):
            client = self.connect()
            answer = client.ask(post(body, *headers))
            self.assertEqual((answer.status, answer.headers["connection"]), (413, ["close"]))
            self.assertIn(b"the body has more than 31457280 bytes (30 MiB), which is the limit", answer.body)

    def test_what_cannot_be_read_for_sure_is_refused(self) -> None:
        cases = (
            (400, b"GET\r\n\r\n"),
            (400, b"GET /hello\r\n\r\n"),
            (400, b"\x16\x03\x01 / HTTP/1.1\r\n\r\n"),
            (400, b"GET /hello HTTP/1.1\r\n\r\n"),
            (400, b"GET /hello HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n"),
            (400, b"GET /hello HTTP/1.1\r\nHost: x\r\nA : 1\r\n\r\n"),
            (400, b"GET /hello HTTP/1.1\r\nHost: x\r\nA: 1\r\n folded\r\n\r\n"),
            (400, b"GET /hello HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n"),
            (400, b"GET /hello HTTP/1.1\r\nHost: x\r\nA: 1\nB: 2\r\n\r\n"),
            (505, b"PRI * HTTP/2.0\r\n\r\n"),
            (431, b"GET /hello HTTP/1.1\r\nHost: x\r\nA: " + b"x" * 70000 + b"\r\n\r\n"),
            (417, post(b"", b"Expect: tea")),
            (400, post(b"abc", b"Content-Length: 3", b"Content-Length: 3")),
            (400, post(b"abc", b"Content-Length: 3", b"Transfer-Encoding: chunked")),
            (400, post(b"abc", b"Content-Length: +3")),
            (400, post(b"abc", b"Content-Length: -1")),
            (501, post(b"abc", b"Transfer-Encoding: gzip, chunked")),
            (400, b"POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            (400, post(b"x\r\n", b"Transfer-Encoding: chunked")),
            (400, post(b"-1\r\n", b"Transfer-Encoding: chunked")),
            (400, post(b"3\r\nabcd\r\n0\r\n\r\n", b"Transfer-Encoding: chunked")),
            (400, post(b"3;" + b"x" * 5000 + b"\r\n", b"Transfer-Encoding: chunked")),
        )
        for status, data in cases:
            client = self.connect()
            answer = client.ask(data)
            self.assertEqual((status, data[:80]), (answer.status, data[:80]), answer.body)
            self.assertEqual(answer.headers["connection"], ["close"])
            client.close()
        self.assertEqual(self.connect().ask(GET).status, 200)

    def test_a_full_address_and_a_query(self) -> None:
        client = self.connect()
        self.assertEqual(client.ask(b"GET http://x.localhost:1/hello?a=1 HTTP/1.1\r\nHost: x\r\n\r\n").status, 200)
        self.assertEqual(client.ask(b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n").status, 404)

    def test_a_client_that_leaves_in_the_middle_harms_nobody(self) -> None:
        for data in (
            b"",
            b"GET /he",
            post(b"abc", b"Content-Length: 30"),
            post(b"3\r\na", b"Transfer-Encoding: chunked"),
        ):
            client = self.connect()
            client.send(data)
            client.close()
        self.assertEqual(self.connect().ask(GET).status, 200)

    def test_sync_functions_do_not_hold_up_others(self) -> None:
        held = [self.connect() for _ in range(5)]
        for client in held:
            client.send(b"GET /held HTTP/1.1\r\nHost: x\r\n\r\n")
        for _ in held:
            self.assertTrue(self.app_module.inside.acquire(timeout=90))
        self.assertEqual(self.connect().ask(GET).status, 200)
        self.app_module.gate.set()
        self.assertEqual([client.read().body for client in held], [b'"done"'] * 5)

    def test_pieces_are_sent_when_they_come(self) -> None:
        client = self.connect()
        client.send(b"GET /pieces HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertEqual(client.read_head()[1]["transfer-encoding"], ["chunked"])
        self.assertEqual(client.read_chunk(), b"one")
        self.app_module.gate.set()
        self.assertEqual([client.read_chunk(), client.read_chunk()], [b"two", b""])
        self.assertEqual(client.ask(GET).status, 200)

    def test_a_stream_that_fails_breaks_off(self) -> None:
        with contextlib.redirect_stderr(io.StringIO()) as log:
            client = self.connect()
            client.send(b"GET /breaks HTTP/1.1\r\nHost: x\r\n\r\n")
            client.read_head()
            with self.assertRaises((EOFError, ConnectionError)):
                while client.read_chunk():
                    pass
        self.assertIn("svc: a streamed answer broke off\nTraceback", log.getvalue())

    def test_a_stream_ends_when_its_client_leaves(self) -> None:
        client = self.connect()
        client.send(b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
        client.read_head()
        client.close()
        self.assertTrue(self.app_module.closed.wait(90))


class Stopping(ServerTest):
    def test_open_requests_end_idle_connections_are_closed_new_ones_refused(self) -> None:
        self.start(APP)
        app = self.import_app("api_app")
        idle, busy = self.connect(), self.connect()
        self.assertEqual(idle.ask(GET).status, 200)
        busy.send(b"GET /held HTTP/1.1\r\nHost: x\r\n\r\n")
        self.assertTrue(app.inside.acquire(timeout=90))
        stopping = threading.Thread(target=lambda: self.run_there(self.server.stop()))
        stopping.start()
        self.assertTrue(idle.is_closed())
        with self.assertRaises(ConnectionError):
            self.connect()
        app.gate.set()
        answer = busy.read()
        self.assertEqual((answer.body, answer.headers["connection"], busy.is_closed()), (b'"done"', ["close"], True))
        stopping.join(90)
        self.assertFalse(stopping.is_alive())
        self.run_there(self.server.stop())
