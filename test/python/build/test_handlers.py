"""The handler files, and the command line."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import textwrap
import unittest
from typing import Any

from scanning import HELLO, RUNTIME, ScanTest
from svc_build._handlers import handler_source, write_handlers

HEADER = "# Written by the build; changes are lost.\n"


class HandlerTest(ScanTest):
    def handlers(self, files: dict[str, str] | str) -> dict[str, str]:
        """The text of each handler file by its name; each is good Python."""
        document = self.scan(files)
        self.assertEqual(document["errors"], [])
        folder = self.root / ".svc" / "build"
        write_handlers(document, str(folder))
        found = {path.name: path.read_text(encoding="ascii") for path in sorted(folder.iterdir())}
        for text in found.values():
            ast.parse(text)
        named = [endpoint["handlerFile"] for endpoint in document["endpoints"] if endpoint["functions"]]
        self.assertEqual(sorted(named), sorted(found))
        return found

    def test_a_function(self) -> None:
        source = "from svc import Endpoint\n@Endpoint(name='my hello', max_concurrency=3)\nasync def e(): ..."
        self.assertEqual(
            self.handlers({"01_a/b-c.py": source}),
            {
                "handler_my_hello.py": HEADER + "from svc.runtime import queue_function\n\n"
                "handler = queue_function('01_a.b-c', 'e', endpoint='my hello')\n"
                'config = {"concurrency": 3}\n'
            },
        )

    def test_a_class(self) -> None:
        source = (
            "from svc import Endpoint\n@Endpoint(name='m')\nclass M:\n    def __init__(self, a, b=1): ...\n"
            "    def go(self): ...\nm = M('x', b=2)"
        )
        self.assertEqual(
            self.handlers(source),
            {
                "handler_m.py": HEADER + "from svc.runtime import queue_class\n\n"
                "handler = queue_class('app', 'M', endpoint='m', constructor={'a': 'x', 'b': 2})\n"
            },
        )

    def test_routes(self) -> None:
        source = (
            "from svc import Endpoint\napi = Endpoint(name='api')\n@api.post('/b')\ndef b(): ...\n"
            "@api.get('/a/{id}')\ndef a(id): ...\nvllm = Endpoint(name='vllm', image='v:1')"
        )
        self.assertEqual(
            self.handlers(source),
            {
                "handler_api.py": HEADER + "from svc.runtime import load_balanced\n\n"
                "app = load_balanced(\n    [\n        ('POST', '/b', 'app', 'b'),\n        ('GET', '/a/{id}', 'app', "
                "'a'),\n"
                "    ],\n    endpoint='api',\n)\n\nif __name__ == \"__main__\":\n    app.serve()\n"
            },
        )

    def test_names_that_would_be_the_same_file(self) -> None:
        names = ["a b", "a_b", "A b", "é", "ü", "../x", "'); import os  # \\"]
        source = "from svc import Endpoint\n" + "".join(
            f"@Endpoint(name={name!r})\ndef f{number}(): ...\n" for number, name in enumerate(names)
        )
        found = self.handlers({"app.py": source, "handler_x.py": ""})
        self.assertEqual(
            sorted(found),
            sorted(
                [
                    "handler_a_b.py",
                    "handler_a_b_2.py",
                    "handler_A_b_3.py",
                    "handler_endpoint.py",
                    "handler_endpoint_2.py",
                    "handler_x_2.py",
                    "handler_import_os.py",
                ]
            ),
        )

    def test_names_of_modules_of_the_project_in_any_folder(self) -> None:
        files = {"app.py": HELLO, "a/b/handler_hello.py": "", "c/handler_hello_2/d.py": ""}
        self.assertEqual(list(self.handlers(files)), ["handler_hello_3.py"])

    def test_handlers_of_an_earlier_build_go(self) -> None:
        folder = self.root / ".svc" / "build"
        self.write(
            {".svc/build/handler_old.py": HEADER, ".svc/build/handler_mine.py": "mine", ".svc/build/x.py": HEADER}
        )
        document = self.scan(HELLO)
        write_handlers(document, str(folder))
        self.assertEqual(sorted(os.listdir(folder)), ["handler_hello.py", "handler_mine.py", "x.py"])

    def test_the_runtime_runs_them(self) -> None:
        (text,) = self.handlers({"01_a/b-c.py": HELLO}).values()
        program = text + "\nimport json\nprint(json.dumps(handler({'id': 'x', 'input': {'name': 'you'}})))"
        environment = {**os.environ, "PYTHONPATH": f"{self.root}{os.pathsep}{RUNTIME}"}
        command = [sys.executable, "-c", program]
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual((ended.stdout, ended.returncode), ('"hello you"\n', 0), ended.stderr)

    def test_the_runtime_finds_what_the_scanner_accepts(self) -> None:
        """As the public tool's example of mixed workers: files next to each other, below the project's root."""
        files = {
            "handler.py": "SUFFIX = '!'",
            "01_start/03_mixed/clean.py": "def clean(text): return text.strip()",
            "01_start/03_mixed/cpu_worker.py": """
                from svc import Endpoint
                @Endpoint(name="cpu", cpu="cpu3c-1-2")
                def preprocess(text: str):
                    from clean import clean
                    return clean(text)
            """,
            "01_start/03_mixed/pipeline.py": """
                from svc import Endpoint
                @Endpoint(name="pipeline", cpu="cpu3c-1-2")
                def classify(text: str):
                    from clean import clean
                    from cpu_worker import preprocess
                    from handler import SUFFIX
                    return clean(text) + SUFFIX + preprocess.__name__
            """,
        }
        text = self.handlers(files)["handler_pipeline.py"]
        program = text + "\nprint(handler({'id': 'x', 'input': {'text': ' you '}}))"
        environment = {**os.environ, "PYTHONPATH": f"{self.root}{os.pathsep}{RUNTIME}"}
        command = [sys.executable, "-c", program]
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual((ended.stdout, ended.returncode), ("you!preprocess\n", 0), ended.stderr)


class CommandLineTest(ScanTest):
    def run_command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": str(RUNTIME)}
        command = [sys.executable, "-m", "svc_build", *arguments]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)

    def document(self, *arguments: str) -> dict[str, Any]:
        ended = self.run_command(*arguments)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        found: dict[str, Any] = json.loads(ended.stdout)
        return found

    def test_scan_prints_one_document(self) -> None:
        self.write({"app.py": HELLO})
        self.assertEqual(self.document("scan", str(self.root)), self.scan({}))

    def test_scan_and_handlers_write(self) -> None:
        self.write({"app.py": HELLO})
        for arguments in (("scan", str(self.root), "--handlers"), ("handlers", str(self.root))):
            folder = self.root / ".svc" / arguments[0]
            document = self.document(*arguments, str(folder))
            self.assertEqual(document["endpoints"][0]["handlerFile"], "handler_hello.py")
            self.assertEqual((folder / "handler_hello.py").read_text(), handler_source(document["endpoints"][0]))

    def test_an_app_with_errors_exits_with_0_and_writes_nothing(self) -> None:
        document = self.document("scan", str(self.root), "--handlers", str(self.root / "out"))
        self.assertEqual((document["ok"], (self.root / "out").exists()), (False, False))

    def test_user_code_is_never_run(self) -> None:
        marker = self.root / "ran"
        self.write({"app.py": f"open({str(marker)!r}, 'w')\n" + textwrap.dedent(HELLO)})
        self.assertTrue(self.document("scan", str(self.root))["ok"])
        self.assertFalse(marker.exists())

    def test_files_of_the_user_do_not_stand_in_for_pythons_own(self) -> None:
        self.write({"app.py": HELLO, "json.py": "boom", "ast.py": "boom", "argparse.py": "boom"})
        environment = {**os.environ, "PYTHONPATH": str(RUNTIME)}
        command = [sys.executable, "-m", "svc_build", "scan", "."]
        ended = subprocess.run(command, cwd=self.root, env=environment, capture_output=True, text=True, check=False)
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_misuse(self) -> None:
        for arguments in ((), ("scan",), ("scan", str(self.root / "gone")), ("paint", ".")):
            ended = self.run_command(*arguments)
            self.assertEqual(
                (ended.returncode, ended.stdout, "Traceback" in ended.stderr), (1, "", False), ended.stderr
            )


if __name__ == "__main__":
    unittest.main()
