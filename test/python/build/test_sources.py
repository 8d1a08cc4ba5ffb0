"""Which files the code of an endpoint can load, and what a changed file does to its hash."""

from __future__ import annotations

import unittest
from typing import Any

from scanning import ScanTest

ENDPOINT = """from svc import Endpoint
{top}
@Endpoint(name="{name}")
def {name}():
    {inside}
"""


def endpoint(name: str, top: str = "", inside: str = "pass") -> str:
    return ENDPOINT.format(name=name, top=top, inside=inside)


class SourcesTest(ScanTest):
    def sources(self, files: dict[str, str]) -> dict[str, Any]:
        return {found["name"]: found["sources"] for found in self.endpoints(files)}

    def files_of(self, name: str, files: dict[str, str]) -> list[str] | None:
        found = self.sources(files)[name]
        return found and found["files"]

    def test_files_are_those_that_imports_lead_to(self) -> None:
        helpers = {
            "a.py": "import b\n",
            "b.py": "def use():\n    from pkg.deep import c\n",
            "pkg/__init__.py": "from .beside import x\n",
            "pkg/beside.py": "x = 1\n",
            "pkg/deep/c.py": "",
            "other.py": "",
        }
        for top, inside in (("import a", "pass"), ("", "import a"), ("", "from a import b"), ("", "__import__('a')")):
            with self.subTest(top or inside):
                files = {"one.py": endpoint("one", top, inside), **helpers}
                self.assertEqual(
                    self.files_of("one", files),
                    ["a.py", "b.py", "one.py", "pkg/__init__.py", "pkg/beside.py", "pkg/deep/c.py"],
                )

    def test_packages_around_the_file_of_an_endpoint_are_loaded_with_it(self) -> None:
        files = {"pkg/__init__.py": "import a", "pkg/one.py": endpoint("one"), "a.py": "", "b.py": ""}
        self.assertEqual(self.files_of("one", files), ["a.py", "pkg/__init__.py", "pkg/one.py"])

    def test_files_of_all_routes_and_of_the_object_count(self) -> None:
        files = {
            "api.py": "from svc import Endpoint\napi = Endpoint(name='api')\n",
            "one.py": "from api import api\n@api.get('/one')\ndef one():\n    import helper\n",
            "two.py": "from api import api\n@api.get('/two')\ndef two(): ...\n",
            "helper.py": "",
            "other.py": "",
        }
        self.assertEqual(self.files_of("api", files), ["api.py", "helper.py", "one.py", "two.py"])

    def test_a_bare_name_may_be_found_in_any_folder(self) -> None:
        files = {
            "a/one.py": endpoint("one", inside="import helper"),
            "b/two.py": endpoint("two"),
            "b/helper.py": "",
            "c/d/helper/inner.py": "",
            "e.py": "",
        }
        self.assertEqual(self.files_of("one", files), ["a/one.py", "b/helper.py"])

    def test_a_star_brings_all_modules_of_a_package(self) -> None:
        others = dict.fromkeys(["pkg/__init__.py", "pkg/deep/c.py", "b.py"], "")
        files = {"one.py": endpoint("one", "from pkg import *"), **others}
        self.assertEqual(self.files_of("one", files), ["one.py", "pkg/__init__.py", "pkg/deep/c.py"])

    def test_what_is_only_typed_or_run_by_hand_is_not_loaded(self) -> None:
        typed = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a\n"
        top = f"{typed}if __name__ == '__main__':\n    import b"
        self.assertEqual(self.files_of("one", {"one.py": endpoint("one", top), "a.py": "", "b.py": ""}), ["one.py"])

    def test_code_that_loads_what_only_it_knows_is_not_known(self) -> None:
        for line in (
            "import importlib; importlib.import_module(name)",
            "__import__(name)",
            "exec(text)",
            "x = eval(text)",
            "import runpy",
            "from importlib import util",
            "import importlib; importlib.util.find_spec('a')",
            "open('a.py').read()",
            "run(['python', '-m', 'a'])",
        ):
            with self.subTest(line):
                self.assertIsNone(self.files_of("one", {"one.py": endpoint("one", inside=line), "a.py": ""}))
                helper = f"def h(name, text):\n    {line}\n"
                self.assertIsNone(self.files_of("one", {"one.py": endpoint("one", "import h"), "h.py": helper}))

    def test_what_only_looks_like_it_is_known(self) -> None:
        for line in (
            "import re; re.compile('a')",
            "'''See a.py.'''",
            "pass  # a.py",
            "import importlib; importlib.import_module('json')",
            "model.eval()",
            "x = 'pyramid a-m'",
        ):
            with self.subTest(line):
                self.assertEqual(self.files_of("one", {"one.py": endpoint("one", inside=line), "a.py": ""}), ["one.py"])

    def test_a_file_that_is_no_python_and_only_may_be_loaded_is_no_problem(self) -> None:
        files = {"one.py": endpoint("one", inside="import helper"), "b/helper.py": "this is no Python\n"}
        document = self.scan(files)
        self.assertEqual((document["errors"], document["warnings"]), ([], []))
        self.assertEqual(document["endpoints"][0]["sources"]["files"], ["b/helper.py", "one.py"])

    def test_the_hash_changes_with_a_loaded_file_and_with_no_other(self) -> None:
        files = {
            "one.py": endpoint("one", inside="import a"),
            "two.py": endpoint("two", inside="import b"),
            "a.py": "",
            "b.py": "",
        }
        before = self.sources(files)
        self.assertEqual(self.sources({}), before)
        after = self.sources({"b.py": "x = 1\n"})
        self.assertEqual(after["one"], before["one"])
        self.assertNotEqual(after["two"]["sha256"], before["two"]["sha256"])

    def test_the_hash_changes_when_a_file_that_may_be_missing_goes(self) -> None:
        top = "try:\n    import a\nexcept ImportError:\n    a = None"
        before = self.sources({"one.py": endpoint("one", top), "a.py": ""})["one"]
        (self.root / "a.py").unlink()
        after = self.sources({})["one"]
        self.assertEqual((before["files"], after["files"]), (["a.py", "one.py"], ["one.py"]))
        self.assertNotEqual(after["sha256"], before["sha256"])

    def test_the_hash_changes_with_arguments_that_another_file_gives_a_class(self) -> None:
        model = """
            from svc import Endpoint
            @Endpoint(name="model")
            class Model:
                def __init__(self, size="small"): ...
                def draw(self): ...
        """
        before = self.sources({"model.py": model, "script.py": "from model import Model\nModel(size='large')\n"})
        after = self.sources({"script.py": "from model import Model\nModel(size='huge')\n"})
        self.assertEqual(before["model"]["files"], ["model.py"])
        self.assertNotEqual(after["model"]["sha256"], before["model"]["sha256"])


if __name__ == "__main__":
    unittest.main()
