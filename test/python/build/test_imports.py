"""What endpoints import: will a worker find it, and does it belong at the top of the file?"""

from __future__ import annotations

import unittest

from scanning import ScanTest

ENDPOINT = """
from svc import Endpoint
{top}
@Endpoint(name="one")
def one():
    {inside}
"""


def endpoint(top: str = "", inside: str = "pass") -> str:
    return ENDPOINT.format(top=top, inside=inside)


class PeerTest(ScanTest):
    PEERS = """
        from svc import Endpoint
        @Endpoint(name="gpu infer")
        def infer(): ...
        @Endpoint(name="model")
        class Model:
            def run(self): ...
        vllm = Endpoint(name="vllm", image="v:1")
        LIMIT = 3
    """

    def test_a_peer_at_the_top(self) -> None:
        for top in ("from gpu import infer", "from gpu import infer as other", "from pkg import infer"):
            with self.subTest(top):
                files = {"app.py": endpoint(top), "gpu.py": self.PEERS, "pkg/__init__.py": "from gpu import infer"}
                self.assertEqual(
                    self.errors(files),
                    [
                        'app.py:2 peer-import infer belongs to the endpoint "gpu infer" and is imported at the top '
                        "of the "
                        "file. Move the import into the body of the function that calls it."
                    ],
                )

    def test_the_whole_file_of_peers_at_the_top(self) -> None:
        found = self.errors({"app.py": endpoint("from gpu import *"), "workers.py": "", "gpu.py": "\n" + self.PEERS})
        self.assertEqual(
            [line.split(" ")[:3] for line in found], [["app.py:2", "peer-import", n] for n in ("infer", "Model")]
        )

    def test_what_is_no_peer(self) -> None:
        files = {
            "gpu.py": self.PEERS,
            "script.py": "from gpu import infer, Model",
            "app.py": endpoint("from gpu import vllm, LIMIT", "from gpu import infer, Model"),
        }
        self.assertEqual(self.errors(files), [])
        typed = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from gpu import infer"
        self.assertEqual(self.errors({"app.py": endpoint(typed)}), [])

    def test_functions_of_the_same_endpoint(self) -> None:
        files = {
            "base.py": 'from svc import Endpoint\napi = Endpoint(name="api")\n@api.get("/a")\ndef a(): ...',
            "more.py": 'from base import api, a\n@api.get("/b")\ndef b(): ...',
        }
        self.assertEqual(self.errors(files), [])


class IgnoredTest(ScanTest):
    def test_an_import_of_a_file_that_is_left_out(self) -> None:
        files = {".gitignore": "/secret.py\n", "secret.py": "KEY = 1", "app.py": endpoint("import secret")}
        self.assertEqual(
            self.errors(files),
            [
                "app.py:2 ignored-import app.py imports secret, but secret.py is left out of the build by `/secret.py` "
                "(.gitignore line 1). Change that line, or move secret.py."
            ],
        )

    def test_by_a_built_in_pattern_and_through_other_files(self) -> None:
        files = {
            "tests/__init__.py": "",
            "tests/data.py": "",
            "helpers.py": "def f():\n    from tests import data",
            "app.py": endpoint(inside="import helpers"),
        }
        self.assertEqual(
            self.errors(files),
            [
                "helpers.py:2 ignored-import helpers.py imports tests, but tests/__init__.py is left out of the "
                "build by "
                "the built-in pattern `tests/`. Bring it back by the line `!tests/` in .runpodignore, or move it out "
                "of there."
            ],
        )

    def test_every_way_to_import_it(self) -> None:
        self.write({".gitignore": "b.py", "a/b.py": "", "a/__init__.py": ""})
        for inside in (
            "import a.b",
            "import a.b as c",
            "from a import b",
            "from a.b import x",
            "import importlib; importlib.import_module('a.b')",
            "__import__('a.b')",
        ):
            with self.subTest(inside):
                (found,) = self.errors({"app.py": endpoint(inside=inside)})
                self.assertIn("ignored-import app.py imports a.b, but a/b.py is left out", found)
        for inside in ("from . import b", "from .b import x", "import b"):
            with self.subTest(inside):
                (found,) = self.errors({"app.py": "", "a/app.py": endpoint(inside=inside)})
                self.assertIn("ignored-import a/app.py imports a.b, but a/b.py is left out", found)

    def test_an_import_that_may_fail_is_a_warning(self) -> None:
        files = {
            ".gitignore": "local.py",
            "local.py": "",
            "app.py": endpoint("try:\n    import local\nexcept ImportError: pass"),
        }
        self.assertEqual(
            self.warnings(files),
            [
                "app.py:3 guarded-ignored-import app.py tries to import local, but local.py is left out of the build "
                "by "
                "`local.py` (.gitignore line 1)."
            ],
        )

    def test_files_that_no_endpoint_needs(self) -> None:
        files = {".gitignore": "x.py", "x.py": "", "script.py": "import x", "app.py": endpoint()}
        self.assertEqual(self.errors(files), [])


class RelativeTest(ScanTest):
    def test_what_leads_to_no_module(self) -> None:
        for file, top, reason in (
            ("app.py", "from . import helpers", "app.py is at the top of the project and in no package"),
            ("a/app.py", "from .gone import x", "there is no a/gone.py in the project"),
            ("a/app.py", "from . import gone", "there is no a/gone.py in the project"),
            ("a/app.py", "from ... import x", "it leads out of the project"),
        ):
            with self.subTest(top):
                self.write({"app.py": "", "a/app.py": ""})
                self.assertEqual(
                    self.errors({file: endpoint(top)}),
                    [f"{file}:2 unresolvable-relative-import `{top}` leads to no module: {reason}."],
                )

    def test_what_leads_to_one(self) -> None:
        files = {
            "a/b/app.py": endpoint("from . import x\nfrom .x import y\nfrom .. import z\nfrom ..z import w"),
            "a/b/x.py": "y = 1",
            "a/z.py": "w = 1",
        }
        self.assertEqual(self.errors(files), [])


class WarningTest(ScanTest):
    def test_third_party_imports_at_the_top(self) -> None:
        files = {
            "app.py": endpoint("import os, json\nimport numpy.linalg\nimport helpers", "import torch"),
            "helpers.py": "from PIL import Image\nimport later",
            "later.py": "try:\n    import tqdm\nexcept ImportError: ...",
        }
        rest = (
            "is imported at the top of the file, so each function of the file needs it on its worker. "
            "Move the import into the function that uses it."
        )
        self.assertEqual(
            self.warnings(files),
            [f"app.py:3 third-party-import numpy {rest}", f"helpers.py:1 third-party-import PIL {rest}"],
        )

    def test_modules_imported_in_a_function_may_import_what_they_like(self) -> None:
        self.assertEqual(self.warnings({"app.py": endpoint(inside="import helpers"), "helpers.py": "import numpy"}), [])

    def test_dynamic_imports(self) -> None:
        inside = "from importlib import import_module; name = 'x'; import_module(name)"
        self.assertEqual(
            self.warnings({"app.py": endpoint(inside=inside)}),
            [
                "app.py:5 dynamic-import What `import_module(name)` imports cannot be known when the app is built. "
                "Make sure that the module is part of the project."
            ],
        )

    def test_neighbours_of_a_file_in_a_folder(self) -> None:
        files = {"ex/app.py": endpoint("import helpers"), "ex/helpers.py": "import numpy"}
        self.assertEqual([line.split(" ")[0] for line in self.warnings(files)], ["ex/helpers.py:1"])

    def test_neighbours_where_a_worker_does_not_look(self) -> None:
        files = {
            "app.py": endpoint("import lib.text"),
            "lib/text.py": "import words\nfrom words import LIST\ntry:\n    import more\nexcept ImportError: ...",
            "lib/words.py": "from . import more\nimport lib.more\nLIST = []",
            "lib/more.py": "",
        }
        rest = (
            "does not find lib.words on a worker, which looks for bare names at the top of the project and next to the "
            "files of endpoints. Import it as lib.words."
        )
        self.assertEqual(
            self.warnings(files),
            [
                f"lib/text.py:1 neighbour-import `import words` {rest}",
                f"lib/text.py:2 neighbour-import `from words import LIST` {rest}",
            ],
        )


class RequirementsTest(ScanTest):
    def test_lines_of_requirements(self) -> None:
        text = (
            "# mine\n\nnumpy>=1.26  # fast\npillow[x] ; python_version < '3.12'\n"
            "--extra-index-url https://x/#y\n-r more/dev.txt\nlong \\\n  ==1\n"
        )
        document = self.scan(
            {"app.py": endpoint(), "requirements.txt": text, "more/dev.txt": "six\n-r ../requirements.txt"}
        )
        self.assertEqual(
            [(r["text"], r["file"], r["line"], r["isOption"]) for r in document["requirements"]],
            [
                ("numpy>=1.26", "requirements.txt", 3, False),
                ("pillow[x] ; python_version < '3.12'", "requirements.txt", 4, False),
                ("--extra-index-url https://x/#y", "requirements.txt", 5, True),
                ("six", "more/dev.txt", 1, False),
                ("long   ==1", "requirements.txt", 7, False),
            ],
        )

    def test_a_file_that_is_not_there(self) -> None:
        self.assertEqual(
            self.errors({"app.py": endpoint(), "requirements.txt": "six\n-r gone.txt"}),
            ["requirements.txt:2 requirements-missing -r gone.txt: there is no file gone.txt in the project."],
        )


if __name__ == "__main__":
    unittest.main()
