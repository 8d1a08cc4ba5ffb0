"""From a request to a route function's arguments."""

import importlib.util
import unittest
from typing import Any

from route_support import RouteTest


class Parameters(RouteTest):
    def test_json_fields_are_the_parameters(self) -> None:
        self.routes("""
            from svc import Endpoint
            api = Endpoint(name="api")
            @api.post("/a")
            @api.put("/a")
            @api.patch("/a")
            @api.delete("/a")
            def a(text: str, times: int = 2, deep: dict | None = None): return [text, times, deep]
        """)
        for method in ("POST", "PUT", "PATCH", "DELETE"):
            self.assertEqual(self.ask(method, "/a", {"text": "x", "more": 1}).json, ["x", 2, None])
        self.assertEqual(self.post("/a", {"text": "x", "times": 3, "deep": {"a": 1}}).json, ["x", 3, {"a": 1}])
        self.assertEqual(self.post("/a", b'{"text": "x"}').json, ["x", 2, None])
        self.assertEqual(self.faults(self.post("/a", {"times": 1})), [("body.text", "field required")])
        self.assertEqual(self.faults(self.post("/a")), [("body.text", "field required")])

    def test_the_query_of_a_get(self) -> None:
        self.routes("""
            from typing import List, Optional
            from svc import Endpoint
            api = Endpoint(name="api")
            @api.get("/a")
            async def a(
                q: str, limit: int = 10, ids: List[int] = [], tags: Optional[list[str]] = None, exact: bool = False
            ):
                return [q, limit, ids, tags, exact]
        """)
        got = self.get("/a?q=a%20b+c&limit=5&ids=1&ids=2&tags=x&exact=true")
        self.assertEqual(got.json, ["a b c", 5, [1, 2], ["x"], True])
        self.assertEqual(self.get("/a?q=").json, ["", 10, [], None, False])
        self.assertEqual(self.get("/a?q=1&q=2").json[0], "2")
        self.assertEqual(
            self.faults(self.get("/a?limit=x&exact=maybe&ids=1&ids=y")),
            [
                ("query.q", "field required"),
                ("query.limit", "must be a whole number"),
                ("query.ids", "must be a whole number"),
                ("query.exact", "must be true or false"),
            ],
        )

    def test_path_parameters(self) -> None:
        self.routes("""
            from svc import Endpoint
            api = Endpoint(name="api")
            @api.get("/items/first")
            def first(): return "first"
            @api.get("/items/{item_id}")
            def item(item_id: int, q: str = ""): return [item_id, q]
            @api.post("/items/{item_id}/parts/{part}")
            def part(item_id: int, part: str, size: float): return [item_id, part, size]
            @api.get("/files/{rest:path}")
            def files(rest): return rest
        """)
        self.assertEqual(self.get("/items/first").json, "first")
        self.assertEqual(self.get("/items/5?q=x").json, [5, "x"])
        self.assertEqual(self.faults(self.get("/items/x")), [("path.item_id", "must be a whole number")])
        self.assertEqual(self.post("/items/5/parts/a%2Fb%20%C3%BC", {"size": 1}).json, [5, "a/b ü", 1.0])
        self.assertEqual(self.get("/files/a/b.txt").json, "a/b.txt")
        self.assertEqual(self.get("/items/1/2").status, 404)

    def test_types(self) -> None:
        self.routes("""
            import datetime, enum, uuid
            from dataclasses import dataclass
            from typing import Annotated, Any, Literal, Optional, Union
            from svc import Endpoint
            api = Endpoint(name="api")
            class Colour(enum.Enum):
                RED = "red"
            @dataclass
            class Point:
                x: int
            @api.post("/a")
            def a(v: Any = None, i: int = 0, f: float = 0, b: bool = False, s: str = "", o: Optional[int] = 1,
                  u: Union[int, str] = 0, l: list[list[int]] = [], t: tuple[int, str] = (0, ""), d: dict[str, int] = {},
                  m: Literal["x", 2] = "x", c: Colour = Colour.RED, p: Point = Point(0), at: datetime.date = None,
                  n: Annotated[int, "note"] = 0, k: uuid.UUID = None):
                return {**locals(), "p": p.x, "c": c.name}
        """)
        good: dict[str, list[tuple[Any, Any]]] = {
            "v": [([1], [1]), (None, None)],
            "i": [(5, 5), ("5", 5), (5.0, 5)],
            "f": [(5, 5.0), ("1e3", 1000.0)],
            "b": [(True, True), ("false", False), (1, True)],
            "s": [("x", "x")],
            "o": [(None, None), (3, 3)],
            "u": [(1, 1), ("1", "1"), ("x", "x")],
            "l": [([[1, "2"]], [[1, 2]])],
            "t": [([1, "a"], [1, "a"])],
            "d": [({"a": "1"}, {"a": 1})],
            "m": [("x", "x"), (2, 2)],
            "c": [("red", "RED")],
            "p": [({"x": 3}, 3)],
            "at": [("2026-01-02", "2026-01-02")],
            "n": [("7", 7)],
            "k": [("12345678-1234-5678-1234-567812345678", "12345678-1234-5678-1234-567812345678")],
        }
        for name, cases in good.items():
            for given, result in cases:
                got = self.post("/a", {name: given})
                self.assertEqual(
                    (name, given, got.json[name] if got.status == 200 else got.json), (name, given, result)
                )
        wrong: dict[str, list[tuple[Any, str]]] = {
            "i": [(value, "must be a whole number") for value in ("x", 1.5, True, None, [1], "")],
            "f": [(value, "must be a number") for value in ("x", True, None, "nan")],
            "b": [(value, "must be true or false") for value in ("x", 2, None, [])],
            "s": [(value, "must be a string") for value in (1, None, [])],
            "u": [([], "must be a whole number or must be a string")],
            "l": [("x", "must be a list"), ([1], "must be a list")],
            "t": [([1], "must be a list of 2")],
            "d": [([], "must be an object"), ({"a": "x"}, "must be a whole number")],
            "m": [("y", "must be one of 'x', 2")],
            "c": [("blue", "must be one of 'red'")],
            "at": [("x", "Invalid isoformat string: 'x'")],
        }
        for name, cases in wrong.items():
            for given, text in cases:
                got = self.post("/a", {name: given})
                self.assertEqual((name, given, self.faults(got)), (name, given, [(f"body.{name}", text)]))

    def test_a_body_that_is_no_json_and_one_that_is_no_object(self) -> None:
        self.routes("""
            from svc import Endpoint
            api = Endpoint(name="api")
            @api.post("/a")
            def a(x: int, y: int): ...
        """)
        self.assertEqual(self.faults(self.post("/a", b"{x"))[0][0], "body")
        self.assertEqual(self.faults(self.post("/a", [1])), [("body", "must be an object")])
        self.assertEqual(self.post("/a", {"x": 1}).json["error"], "body.y: field required")

    def test_a_single_dict_or_list_takes_the_field_of_its_name_or_the_whole_body(self) -> None:
        self.routes("""
            from svc import Endpoint
            api = Endpoint(name="api")
            @api.post("/dict")
            def a(data: dict): return data
            @api.post("/list")
            def b(items: list[int]): return items
        """)
        self.assertEqual(self.post("/dict", {"data": {"x": 1}}).json, {"x": 1})
        self.assertEqual(self.post("/dict", {"x": 1}).json, {"x": 1})
        self.assertEqual(self.post("/list", {"items": [1]}).json, [1])
        self.assertEqual(self.post("/list", [1, 2]).json, [1, 2])
        self.assertEqual(self.faults(self.post("/list", {"x": [1]})), [("body.items", "field required")])

    def test_fields_that_the_body_lacks_may_stand_in_the_query(self) -> None:
        self.routes("""
            from svc import Endpoint
            api = Endpoint(name="api")
            @api.delete("/a")
            def a(item: int, force: bool = False): return [item, force]
        """)
        self.assertEqual(self.ask("DELETE", "/a?item=5&force=1").json, [5, True])
        self.assertEqual(self.ask("DELETE", "/a?force=1", {"item": 6}).json, [6, True])

    def test_free_names(self) -> None:
        self.routes("""
            from svc import Endpoint
            api = Endpoint(name="api")
            @api.post("/a")
            def a(x: int, **more): return [x, more]
        """)
        self.assertEqual(self.post("/a", {"x": 1, "y": 2}).json, [1, {"y": 2}])

    def test_bytes_by_multipart_or_as_the_body(self) -> None:
        self.routes("""
            from svc import Endpoint
            api = Endpoint(name="api")
            @api.post("/upload")
            def upload(file: bytes, name: str = "", sizes: list[int] = []):
                return [len(file), file[:4].hex(), name, sizes]
        """)
        data = b"\x00\r\n--x\r\n\xff"
        self.assertEqual(
            self.post("/upload?name=n", data, headers={"content-type": "image/png"}).json,
            [len(data), data[:4].hex(), "n", []],
        )
        parts = (
            b'--B\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\n'
            + data
            + b'\r\n--B\r\nContent-Disposition: form-data; name="name"\r\n\r\n\xc3\xbc\r\n'
            b'--B\r\ncontent-disposition: form-data; name="sizes"\r\n\r\n1\r\n'
            b"--B\r\ncontent-disposition: form-data; name=sizes\r\n\r\n2\r\n--B--\r\n"
        )
        kind = {"content-type": 'multipart/form-data; boundary="B"'}
        self.assertEqual(self.post("/upload", parts, headers=kind).json, [len(data), data[:4].hex(), "ü", [1, 2]])
        self.assertEqual(self.faults(self.post("/upload", parts[:-6], headers=kind))[0][0], "body")
        self.assertEqual(
            self.faults(self.post("/upload", b"x", headers={"content-type": "multipart/form-data"}))[0][0], "body"
        )
        self.assertEqual(self.faults(self.post("/upload", {"name": "x"})), [("body.file", "field required")])

    def test_url_encoded_forms(self) -> None:
        self.routes("""
            from svc import Endpoint
            api = Endpoint(name="api")
            @api.post("/a")
            def a(x: int, y: str = ""): return [x, y]
        """)
        kind = {"content-type": "application/x-www-form-urlencoded"}
        self.assertEqual(self.post("/a", b"x=5&y=a+b", headers=kind).json, [5, "a b"])
        # As `curl -d '{...}'` sends it.
        self.assertEqual(self.post("/a", b'{"x": 5}', headers=kind).json, [5, ""])

    def test_the_request_itself(self) -> None:
        self.routes("""
            import svc
            api = svc.Endpoint(name="api")
            @api.post("/a")
            def a(request: svc.Request):
                return [request.method, request.path, request.query, request.headers["x-a"], request.json()]
        """)
        self.assertEqual(self.post("/a?q=1", {"b": 2}, headers={"x-a": "3"}).json, ["POST", "/a", "q=1", "3", {"b": 2}])

    def test_annotations_that_cannot_be_resolved_are_no_error(self) -> None:
        self.routes("""
            from __future__ import annotations
            from svc import Endpoint
            api = Endpoint(name="api")
            @api.post("/a")
            def a(x: Missing, y: int): return [x, y]
        """)
        self.assertEqual(self.post("/a", {"x": {"a": 1}, "y": 2}).json, [{"a": 1}, 2])


@unittest.skipUnless(importlib.util.find_spec("pydantic"), "pydantic is not installed")
class Models(RouteTest):
    def test_a_pydantic_model_gets_the_whole_body(self) -> None:
        self.routes("""
            from typing import Optional
            from pydantic import BaseModel
            from svc import Endpoint
            class Item(BaseModel):
                name: str
                price: float = 1.5
            api = Endpoint(name="api")
            @api.post("/one/{n}")
            def one(n: int, item: Item) -> Item: return item
            @api.post("/two")
            def two(item: Item, other: Optional[Item] = None): return [item, other]
        """)
        self.assertEqual(self.post("/one/1", {"name": "a"}).json, {"name": "a", "price": 1.5})
        self.assertEqual(self.post("/one/1", {"item": {"name": "a"}}).json, {"name": "a", "price": 1.5})
        both = {"item": {"name": "a"}, "other": {"name": "b", "price": 2}}
        self.assertEqual(self.post("/two", both).json, [{"name": "a", "price": 1.5}, {"name": "b", "price": 2.0}])
        self.assertEqual(self.faults(self.post("/one/1", {"price": "x"}))[0], ("body.item.name", "Field required"))
        self.assertEqual(self.faults(self.post("/one/1")), [("body.item", "field required")])
