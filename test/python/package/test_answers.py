"""Results and errors of routes."""

import contextlib
import io

from route_support import RouteTest

APP = """
    import dataclasses, datetime, decimal, enum, uuid
    import svc

    api = svc.Endpoint(name="api")

    @dataclasses.dataclass
    class Point:
        x: int
        at: datetime.date

    @api.get("/value/{name}")
    def value(name: str):
        return {
            "none": None, "text": "täxt", "number": 1.5, "list": (1, 2), "bytes": b"\\x00\\x01", "set": {1},
            "point": Point(1, datetime.date(2026, 1, 2)), "uuid": [uuid.UUID(int=1)], "object": {"a": object()},
            "nan": float("nan"),
        }[name]

    @api.get("/response")
    def response(): return svc.Response(201, {"X-A": "1"}, "made", "text/html")

    @api.get("/response/{kind}")
    def response_of(kind: str):
        return {
            "json": svc.Response(body={"a": 1}),
            "empty": svc.Response(204),
            "bytes": svc.Response(body=b"x", media_type="image/png"),
            "stream": svc.Response(202, body=(str(n) for n in range(3)), media_type="text/csv"),
        }[kind]

    @api.get("/raise/{kind}")
    async def raises(kind: str):
        if kind == "http":
            raise svc.HTTPError(404, "no such item", {"X-A": "1"})
        if kind == "detail":
            raise svc.HTTPError(409, {"held by": 5})
        if kind == "plain":
            raise svc.HTTPError(410)
        if kind == "exit":
            raise SystemExit(3)
        raise ValueError("text cannot be empty")

    class ForeignError(Exception):
        status_code, detail, headers = 418, "teapot", {"X-B": "2"}

    @api.get("/foreign-error")
    def foreign_error(): raise ForeignError

    class Foreign:
        def __init__(self, body): self.body = body
        status_code, media_type, background = 203, "text/html", None
        raw_headers = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", b"99"),
                       (b"set-cookie", b"a=1"), (b"set-cookie", b"b=2")]

    after = []

    @api.get("/foreign")
    def foreign(): return Foreign(b"<p>")

    @api.get("/foreign-stream")
    async def foreign_stream():
        made = Foreign(None)
        del made.body
        async def pieces():
            yield "a"
            yield b"b"
        async def background(): after.append(1)
        made.body_iterator, made.background = pieces(), background
        return made

    @api.get("/foreign-file")
    def foreign_file():
        made = Foreign(None)
        del made.body
        made.path = __file__
        return made

    @api.get("/sync")
    def sync(n: int = 2):
        for i in range(n):
            yield f"piece {i}\\n"

    @api.get("/async")
    async def asynchronous():
        for i in range(2):
            yield {"n": i}

    @api.get("/returned")
    async def returned(): return (b"\\x00" * n for n in (1, 2))

    @api.get("/events")
    async def events():
        yield "event: a\\ndata: 1\\n\\n"
        yield "two\\nlines"

    @api.get("/early")
    async def early():
        raise ValueError("before the first")
        yield 1
"""


class Answers(RouteTest):
    def setUp(self) -> None:
        super().setUp()
        self.routes(APP)

    def test_values_become_json(self) -> None:
        for name, text in (
            ("none", "null"), ("text", '"täxt"'), ("number", "1.5"), ("list", "[1,2]"), ("set", "[1]"),
            ("point", '{"x":1,"at":"2026-01-02"}'), ("uuid", '["00000000-0000-0000-0000-000000000001"]'),
        ):  # fmt: skip
            got = self.get(f"/value/{name}")
            self.assertEqual(
                (got.status, got.headers, got.body.decode()), (200, {"content-type": "application/json"}, text)
            )

    def test_bytes_stay_bytes(self) -> None:
        got = self.get("/value/bytes")
        self.assertEqual((got.headers, got.body), ({"content-type": "application/octet-stream"}, b"\x00\x01"))

    def test_what_json_cannot_hold_is_an_error_in_words(self) -> None:
        with contextlib.redirect_stderr(io.StringIO()):
            got = self.get("/value/object")
            self.assertEqual(self.get("/value/nan").status, 500)
        self.assertEqual(got.status, 500)
        self.assertEqual(
            got.json["error"],
            "TypeError: a route returned a builtins.object, which JSON cannot hold; return plain values",
        )

    def test_responses(self) -> None:
        got = self.get("/response")
        self.assertEqual((got.status, got.headers, got.body), (201, {"x-a": "1", "content-type": "text/html"}, b"made"))
        self.assertEqual(self.get("/response/json").json, {"a": 1})
        self.assertEqual(self.get("/response/empty"), (204, {}, b""))
        self.assertEqual(self.get("/response/bytes").headers, {"content-type": "image/png"})
        self.assertEqual(self.get("/response/stream"), (202, {"content-type": "text/csv"}, b"012"))

    def test_http_errors(self) -> None:
        got = self.get("/raise/http")
        self.assertEqual(
            (got.status, got.headers["x-a"], got.json), (404, "1", {"error": "no such item", "detail": "no such item"})
        )
        self.assertEqual(self.get("/raise/detail").json, {"error": "Conflict", "detail": {"held by": 5}})
        self.assertEqual(self.get("/raise/plain").json, {"error": "Gone", "detail": "Gone"})

    def test_exceptions_are_a_500_with_their_type_and_the_traceback_on_stderr(self) -> None:
        with contextlib.redirect_stderr(io.StringIO()) as log:
            got = self.get("/raise/x")
            self.assertEqual(self.get("/raise/exit").status, 500)
        self.assertEqual(
            (got.status, got.json),
            (
                500,
                {
                    "error": "ValueError: text cannot be empty",
                    "detail": "ValueError: text cannot be empty",
                    "error_type": "ValueError",
                    "error_message": "text cannot be empty",
                },
            ),
        )
        first = log.getvalue().split("svc: ")[1]
        self.assertRegex(
            first, r'^GET /raise/\{kind\} failed\nTraceback \(most recent call last\):\n  File ".*api_app.py", line'
        )
        self.assertNotIn("svc/runtime", first)

    def test_objects_of_web_frameworks(self) -> None:
        error = self.get("/foreign-error")
        self.assertEqual((error.status, error.headers["x-b"], error.json["detail"]), (418, "2", "teapot"))
        page = self.get("/foreign")
        self.assertEqual(
            (page.status, page.headers, page.body),
            (203, {"set-cookie": "b=2", "content-type": "text/html; charset=utf-8"}, b"<p>"),
        )
        self.assertEqual(self.get("/foreign-stream").body, b"ab")
        self.assertEqual(self.import_app("api_app").after, [1])
        self.assertEqual(self.get("/foreign-file").body, (self.folder / "api_app.py").read_bytes())

    def test_generators_are_sent_as_they_come(self) -> None:
        for path, kind, body in (
            ("/sync", "text/plain; charset=utf-8", b"piece 0\npiece 1\n"),
            ("/sync?n=0", "text/plain; charset=utf-8", b""),
            ("/async", "application/x-ndjson", b'{"n": 0}\n{"n": 1}\n'),
            ("/returned", "application/octet-stream", b"\x00\x00\x00"),
        ):
            got = self.get(path)
            self.assertEqual((got.headers, got.body), ({"content-type": kind}, body))

    def test_generators_are_events_for_a_client_that_asks_for_them(self) -> None:
        for path, body in (
            ("/async", b'data: {"n": 0}\n\ndata: {"n": 1}\n\n'),
            ("/events", b"event: a\ndata: 1\n\ndata: two\ndata: lines\n\n"),
        ):
            got = self.get(path, headers={"accept": "text/event-stream"})
            self.assertEqual((got.headers, got.body), ({"content-type": "text/event-stream"}, body))

    def test_a_generator_that_fails_before_its_first_item_is_an_ordinary_error(self) -> None:
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(self.get("/early").status, 500)

    def test_unknown_paths_and_methods(self) -> None:
        self.assertEqual(self.get("/nothing").json, {"error": "Not Found", "detail": "Not Found"})
        got = self.post("/sync")
        self.assertEqual((got.status, got.headers["allow"]), (405, "GET, HEAD"))

    def test_ping(self) -> None:
        self.assertEqual((self.get("/ping").status, self.get("/ping").json), (200, {"status": "healthy"}))
        self.assertEqual((self.post("/ping").status, self.post("/ping").headers["allow"]), (405, "GET, HEAD"))


class OwnPing(RouteTest):
    def test_an_app_may_declare_it(self) -> None:
        self.routes("""
            import svc
            api = svc.Endpoint(name="api")
            @api.get("/ping")
            def ping(): return svc.Response(204)
            @api.get("/other")
            def other(): ...
        """)
        self.assertEqual(self.get("/ping").status, 204)
        self.application = self.application.only_ping()
        self.assertEqual((self.get("/ping").status, self.get("/other").status), (204, 404))

    def test_an_own_one_that_fails_says_so(self) -> None:
        self.routes("""
            import svc
            api = svc.Endpoint(name="api")
            @api.get("/ping")
            async def ping(): raise svc.HTTPError(503, "no model")
            @api.post("/ping")
            def other(): return "posted"
        """)
        for path in ("main", "health"):
            with self.subTest(path):
                self.assertEqual((self.get("/ping").status, self.get("/ping").json["detail"]), (503, "no model"))
                self.application = self.application.only_ping()
        self.assertEqual(self.post("/ping").status, 405)

    def test_only_a_route_of_that_very_path_is_meant(self) -> None:
        self.routes("""
            import svc
            api = svc.Endpoint(name="api")
            @api.get("/{name}")
            def item(name): raise svc.HTTPError(404)
            @api.post("/ping")
            def other(): return "posted"
        """)
        self.assertEqual((self.get("/ping").status, self.get("/ping").json), (200, {"status": "healthy"}))
        self.assertEqual((self.post("/ping").json, self.get("/else").status), ("posted", 404))
        got = self.ask("PUT", "/ping")
        self.assertEqual((got.status, got.headers["allow"]), (405, "GET, HEAD, POST"))
