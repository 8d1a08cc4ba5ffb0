"""Every way to write an endpoint, and what the document says of it."""

from __future__ import annotations

import unittest
from typing import Any

from scanning import ScanTest


def brief(endpoint: dict[str, Any]) -> tuple[Any, ...]:
    return endpoint["kind"], endpoint["name"], [function["name"] for function in endpoint["functions"]]


class QueueBasedTest(ScanTest):
    def test_the_whole_entry_of_a_function(self) -> None:
        source = '''
            from svc import Endpoint, GpuGroup

            @Endpoint(name="speak", gpu=GpuGroup.ADA_24, workers=(0, 3))
            async def speak(text: str, /, voice: "Voice" = None, *more, fast: bool, slow=1, **rest) -> dict:
                """Say a text.

                And more."""
                return {}
        '''
        parameter = {"annotation": None, "hasDefault": False}
        self.assertEqual(
            [
                {**found, "sources": found["sources"]["files"]}
                for found in self.endpoints({"01_hello/gpu-worker.py": source})
            ],
            [
                {
                    "sources": ["01_hello/gpu-worker.py"],
                    "name": "speak",
                    "kind": "queue",
                    "file": "01_hello/gpu-worker.py",
                    "line": 3,
                    "variable": None,
                    "settings": {"name": "speak", "gpu": "ADA_24", "workers": [0, 3]},
                    "functions": [
                        {
                            "name": "speak",
                            "module": "01_hello.gpu-worker",
                            "file": "01_hello/gpu-worker.py",
                            "line": 4,
                            "isAsync": True,
                            "isGenerator": False,
                            "isClass": False,
                            "methods": [],
                            "httpMethod": None,
                            "httpPath": None,
                            "parameters": [
                                {**parameter, "name": "text", "kind": "positional-only", "annotation": "str"},
                                {
                                    "name": "voice",
                                    "kind": "positional-or-keyword",
                                    "hasDefault": True,
                                    "annotation": "'Voice'",
                                },
                                {**parameter, "name": "more", "kind": "var-positional"},
                                {**parameter, "name": "fast", "kind": "keyword-only", "annotation": "bool"},
                                {**parameter, "name": "slow", "kind": "keyword-only", "hasDefault": True},
                                {**parameter, "name": "rest", "kind": "var-keyword"},
                            ],
                            "doc": "Say a text.",
                        }
                    ],
                    "makesRemoteCalls": False,
                    "calls": [],
                }
            ],
        )

    def test_kinds_of_functions(self) -> None:
        source = """
            from svc import Endpoint
            @Endpoint(name="a")
            def a(): return (lambda: (yield))
            @Endpoint(name="b")
            def b(): yield 1
            @Endpoint(name="c")
            async def c():
                def inner(): yield 1
            @Endpoint(name="d")
            async def d():
                for x in []:
                    yield x
        """
        found = [endpoint["functions"][0] for endpoint in self.endpoints(source)]
        self.assertEqual(
            [(f["isAsync"], f["isGenerator"]) for f in found],
            [(False, False), (False, True), (True, False), (True, True)],
        )

    def test_a_class(self) -> None:
        source = '''
            from svc import Endpoint
            from base import Base
            @Endpoint(name="model")
            class Model(Base):
                """A model."""
                def __init__(self, size="small"): ...
                async def draw(self, prompt: str, steps=20): ...
                @staticmethod
                def about(short=False): ...
                @property
                def device(self): ...
                def _private(self): ...
        '''
        base = "class Base:\n    def warm_up(self): yield 1\n    def draw(self): ..."
        (endpoint,) = self.endpoints({"app.py": source, "base.py": base})
        (found,) = endpoint["functions"]
        self.assertEqual((found["isClass"], found["methods"]), (True, ["draw", "about", "warm_up"]))
        self.assertEqual(found["constructor"], {"args": [], "kwargs": {}})
        self.assertEqual(found["doc"], "A model.")
        details = [
            (method["isAsync"], method["isGenerator"], [p["name"] for p in method["parameters"]])
            for method in found["methodDetails"]
        ]
        self.assertEqual(details, [(True, False, ["prompt", "steps"]), (False, False, ["short"]), (False, True, [])])

    def test_the_name_is_the_function_where_none_is_given(self) -> None:
        self.assertEqual(
            [brief(e) for e in self.endpoints("from svc import Endpoint\n@Endpoint(gpu='any')\ndef hello(): ...")],
            [("queue", "hello", ["hello"])],
        )

    def test_a_function_named_e_and_names_with_spaces(self) -> None:
        source = 'from svc import Endpoint\n@Endpoint(name="my endpoint")\ndef e(): ...'
        self.assertEqual([brief(found) for found in self.endpoints(source)], [("queue", "my endpoint", ["e"])])

    def test_an_object_used_as_a_decorator(self) -> None:
        source = 'from svc import Endpoint\nworker = Endpoint(name="w")\n@worker\ndef work(): ...'
        (found,) = self.endpoints(source)
        self.assertEqual((brief(found), found["variable"], found["line"]), (("queue", "w", ["work"]), "worker", 2))


class ImportStylesTest(ScanTest):
    def test_every_way_to_name_the_class(self) -> None:
        for imported, used in (
            ("from svc import Endpoint", "Endpoint"),
            ("from svc import Endpoint as E", "E"),
            ("import svc", "svc.Endpoint"),
            ("import svc as s", "s.Endpoint"),
            ("from svc import *", "Endpoint"),
            ("from runpod_flash import Endpoint", "Endpoint"),
            ("import runpod_flash as flash", "flash.Endpoint"),
            ("from runpod_flash.endpoint import Endpoint", "Endpoint"),
            ("import runpod_flash.endpoint", "runpod_flash.endpoint.Endpoint"),
            ("import svc\nWorker = svc.Endpoint", "Worker"),
            (
                "try:\n    from svc import Endpoint\nexcept ImportError:\n    from runpod_flash import Endpoint",
                "Endpoint",
            ),
            ("from common import Endpoint", "Endpoint"),
            ("from common import *", "Endpoint"),
            ("import common", "common.Worker"),
        ):
            with self.subTest(imported):
                common = "from svc import Endpoint\nWorker = Endpoint"
                files = {"app.py": f'{imported}\n@{used}(name="a")\ndef a(): ...', "common.py": common}
                self.assertEqual([brief(e) for e in self.endpoints(files)], [("queue", "a", ["a"])])

    def test_decorated_functions_in_every_block(self) -> None:
        source = """
            from typing import TYPE_CHECKING
            from svc import Endpoint
            if TYPE_CHECKING:
                from gone import Nothing
                @Endpoint(name="never")
                def never(): ...
            else:
                @Endpoint(name="other")
                def other(): ...
            try:
                import torch
                @Endpoint(name="tried")
                def tried(): ...
            except ImportError:
                torch = None
            with open("x"):
                @Endpoint(name="within")
                def within(): ...
            if __name__ == "__main__":
                @Endpoint(name="script")
                def script(): ...
        """
        self.assertEqual([e["name"] for e in self.endpoints(source)], ["other", "tried", "within"])

    def test_folders_of_any_name(self) -> None:
        source = 'from svc import Endpoint\n@Endpoint(name="{0}")\ndef f{0}(): ...'
        names = ["01_a/b-c.py", "a b/x.py", "deep/er/est/x.py", "pkg/__init__.py", "__init__.py", "class.py"]
        found = self.endpoints({name: source.format(number) for number, name in enumerate(names)})
        modules = {e["functions"][0]["file"]: e["functions"][0]["module"] for e in found}
        self.assertEqual(
            modules,
            {
                "01_a/b-c.py": "01_a.b-c",
                "a b/x.py": "a b.x",
                "deep/er/est/x.py": "deep.er.est.x",
                "pkg/__init__.py": "pkg",
                "__init__.py": "__init__",
                "class.py": "class",
            },
        )

    def test_sources_in_other_encodings(self) -> None:
        text = '# -*- coding: latin-1 -*-\nfrom svc import Endpoint\n@Endpoint(name="é")\ndef e(): ...\n'
        (self.root / "app.py").write_bytes(text.encode("latin-1"))
        (self.root / "mark.py").write_bytes(
            b'\xef\xbb\xbffrom svc import Endpoint\n@Endpoint(name="m")\ndef m(): ...\n'
        )
        self.assertEqual([e["name"] for e in self.endpoints({})], ["é", "m"])


class LoadBalancedTest(ScanTest):
    def test_routes_keep_the_order_of_the_source(self) -> None:
        source = """
            from svc import Endpoint
            PREFIX = "/v1"
            api = Endpoint(name="api", cpu="cpu3c-1-2", workers=(1, 3))
            @api.post("/z")
            async def z(text: str): ...
            @api.get(PREFIX + "/items/{id}")
            def item(id: int): ...
            @api.put(path="/items/{id}")
            @api.patch("/items/{id}")
            def change(id: int): ...
            @api.delete("/items/{id}")
            def a(id: int): ...
        """
        (endpoint,) = self.endpoints(source)
        self.assertEqual((endpoint["kind"], endpoint["variable"]), ("load-balanced", "api"))
        self.assertEqual(
            [(f["httpMethod"], f["httpPath"], f["name"]) for f in endpoint["functions"]],
            [
                ("POST", "/z", "z"),
                ("GET", "/v1/items/{id}", "item"),
                ("PUT", "/items/{id}", "change"),
                ("PATCH", "/items/{id}", "change"),
                ("DELETE", "/items/{id}", "a"),
            ],
        )

    def test_routes_in_several_files(self) -> None:
        files = {
            "app/base.py": 'from svc import Endpoint\napi = Endpoint(name="api")\n@api.get("/")\ndef root(): ...',
            "app/__init__.py": "from .base import api",
            "app/a_users.py": 'from app import api\n@api.get("/users")\ndef users(): ...',
            "app/b_items.py": 'import app.base as base\n@base.api.get("/items")\ndef items(): ...',
            "main.py": "from app import base, a_users, b_items",
        }
        (endpoint,) = self.endpoints(files)
        self.assertEqual(endpoint["file"], "app/base.py")
        self.assertEqual(
            [(f["name"], f["module"]) for f in endpoint["functions"]],
            [("root", "app.base"), ("users", "app.a_users"), ("items", "app.b_items")],
        )

    def test_functions_of_one_name_in_two_files(self) -> None:
        source = 'from svc import Endpoint\napi = Endpoint(name="{0}")\n@api.get("/health")\ndef health(): ...'
        found = self.endpoints({"one.py": source.format("one"), "two.py": source.format("two")})
        self.assertEqual([brief(e) for e in found], [("load-balanced", n, ["health"]) for n in ("one", "two")])


class ClientTest(ScanTest):
    def test_images_and_clients(self) -> None:
        source = """
            from svc import Endpoint
            vllm = Endpoint(name="vllm", image="vllm/vllm-openai:latest", gpu="ADA_24", env={"MODEL": "x"})
            old = Endpoint(id="abc123")
            MORE = {"other": Endpoint(name="other", image="x:1")}
            async def main():
                return await Endpoint(id="inner").runsync({})
        """
        found = self.endpoints(source)
        self.assertEqual(
            [(e["kind"], e["name"], e["variable"], e["functions"]) for e in found],
            [("image", "vllm", "vllm", []), ("client", None, "old", []), ("image", "other", None, [])],
        )
        self.assertEqual(found[1]["settings"], {"id": "abc123"})


if __name__ == "__main__":
    unittest.main()
