"""Classes of nodes are read from source that never runs."""

from __future__ import annotations

import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "resources" / "python"))

from svc_nodes._classes import read_package  # noqa: E402  # the path comes first


class ClassesTest(unittest.TestCase):
    def read(self, files: dict[str, str]) -> tuple[list[str], bool]:
        with tempfile.TemporaryDirectory(prefix="svc-nodes-test-") as folder:
            for name, text in files.items():
                path = Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(textwrap.dedent(text), "utf-8")
            classes, complete = read_package(folder)
            return sorted(classes), complete

    def one(self, text: str) -> tuple[list[str], bool]:
        return self.read({"__init__.py": text})

    def test_literals(self) -> None:
        self.assertEqual(self.one('NODE_CLASS_MAPPINGS: dict[str, type] = {"A": A, "B ": B}  # "C": C'), (["A", "B"], True))

    def test_a_package_without_nodes(self) -> None:
        self.assertEqual(self.one('WEB_DIRECTORY = "js"\nNODE_CLASS_MAPPINGS = {}'), ([], True))
        self.assertEqual(self.read({"readme.md": ""}), ([], True))

    def test_imports_and_joined_mappings(self) -> None:
        files = {
            "__init__.py": """
                from .nodes.image import NODE_CLASS_MAPPINGS as IMAGE
                from .nodes import face, mask
                from .names import *
                NODE_CLASS_MAPPINGS = {**IMAGE, BASE: object}
                NODE_CLASS_MAPPINGS.update(face.NODE_CLASS_MAPPINGS)
                NODE_CLASS_MAPPINGS |= mask.NODE_CLASS_MAPPINGS | {"Joined": object}
                NODE_CLASS_MAPPINGS["Late"] = object
                __all__ = ["NODE_CLASS_MAPPINGS"]
            """,
            "names.py": 'SPACE = "space"\nBASE = f"Base {SPACE}"',
            "nodes/image.py": 'NODE_CLASS_MAPPINGS = {"Image": 1}',
            "nodes/face.py": "NODE_CLASS_MAPPINGS = dict(Face=1)",
            "nodes/mask.py": 'NODE_CLASS_MAPPINGS = {"Mask": 1}',
            "nodes/unused.py": 'NODE_CLASS_MAPPINGS = {"Unused": 1}',
        }
        self.assertEqual(self.read(files), (["Base space", "Face", "Image", "Joined", "Late", "Mask"], True))

    def test_names_of_classes(self) -> None:
        text = """
            def named(name):
                return "{} ({})".format(name, "space")
            class A:
                NAME = named("First")
            class B(A):
                pass
            CLASSES = [A, B]
            NODE_CLASS_MAPPINGS = {A.NAME: A}
            NODE_CLASS_MAPPINGS.update({one.__name__: one for one in CLASSES})
            for name, one in {"C": A, "D": B}.items():
                NODE_CLASS_MAPPINGS["My" + name] = one
        """
        self.assertEqual(self.one(text), (["A", "B", "First (space)", "MyC", "MyD"], True))

    def test_modules_by_name(self) -> None:
        text = """
            import importlib
            NODE_CLASS_MAPPINGS = {}
            for name in ["image", "lost"]:
                module = importlib.import_module(f".nodes.{name}", __name__)
                NODE_CLASS_MAPPINGS = {**NODE_CLASS_MAPPINGS, **getattr(module, "NODE_CLASS_MAPPINGS", {})}
        """
        files = {"__init__.py": text, "nodes/image.py": 'NODE_CLASS_MAPPINGS = {"Image": 1}'}
        found, _ = self.read(files)
        self.assertEqual(found, ["Image"])

    def test_modules_by_unknown_names(self) -> None:
        text = """
            import importlib, os
            NODE_CLASS_MAPPINGS = {}
            for file in os.listdir(os.path.dirname(__file__)):
                module = importlib.import_module("." + file[:-3], __name__)
                NODE_CLASS_MAPPINGS.update(module.NODE_CLASS_MAPPINGS)
        """
        files = {
            "__init__.py": text,
            "image.py": 'NODE_CLASS_MAPPINGS = {"Image": 1}',
            "tests/test_x.py": 'NODE_CLASS_MAPPINGS = {"Tested": 1}',
        }
        self.assertEqual(self.read(files), (["Image"], False))

    def test_optional_parts(self) -> None:
        text = """
            NODE_CLASS_MAPPINGS = {"A": 1}
            try:
                from .extra import NODE_CLASS_MAPPINGS as EXTRA
            except ImportError:
                EXTRA = {}
            NODE_CLASS_MAPPINGS.update(EXTRA)
            if __name__ == "__main__":
                NODE_CLASS_MAPPINGS["Main"] = 1
        """
        files = {"__init__.py": text, "extra.py": 'NODE_CLASS_MAPPINGS = {"Extra": 1}'}
        self.assertEqual(self.read(files), (["A", "Extra"], True))

    def test_schemas(self) -> None:
        text = """
            from comfy_api.latest import ComfyExtension, io
            from .more import Two
            class One(io.ComfyNode):
                @classmethod
                def define_schema(cls):
                    return io.Schema(node_id="One", inputs=[])
            class Extension(ComfyExtension):
                async def get_node_list(self):
                    return [One, Two]
            async def comfy_entrypoint():
                return Extension()
        """
        more = """
            from comfy_api.latest import io
            class Two(io.ComfyNode):
                @classmethod
                def define_schema(cls):
                    name = f"My{cls.__name__}"
                    return io.Schema(name)
        """
        self.assertEqual(self.read({"__init__.py": text, "more.py": more}), (["MyTwo", "One"], True))

    def test_syntax_that_is_not_known(self) -> None:
        text = 'NODE_CLASS_MAPPINGS = {\n    "A": A,\n    "B": B,\n}\nthis is no Python\n'
        self.assertEqual(self.one(text), (["A", "B"], False))

    def test_nothing_runs(self) -> None:
        with tempfile.TemporaryDirectory(prefix="svc-nodes-test-") as folder:
            mark = Path(folder) / "ran"
            self.one(f'open({str(mark)!r}, "w")\nNODE_CLASS_MAPPINGS = {{"A": 1}}')
            self.assertFalse(mark.exists())

    def test_modules_that_refer_to_each_other(self) -> None:
        files = {
            "__init__.py": "from .a import NODE_CLASS_MAPPINGS",
            "a.py": 'from . import NODE_CLASS_MAPPINGS as X\nfrom .b import Y\nNODE_CLASS_MAPPINGS = {"A": 1, **Y}',
            "b.py": 'from .a import NODE_CLASS_MAPPINGS as Z\nY = {"B": 1}',
        }
        self.assertEqual(self.read(files), (["A", "B"], True))

    def test_functions_that_call_themselves(self) -> None:
        text = "def f(x):\n    return f(x)\nNODE_CLASS_MAPPINGS = {f('a'): 1, 'B': 2}"
        self.assertEqual(self.one(text), (["B"], False))


if __name__ == "__main__":
    unittest.main()
