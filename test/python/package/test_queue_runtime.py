"""Handlers of queue-based endpoints: what `svc.runtime.queue_function` makes, alone and in a real worker."""

import asyncio
import inspect
import sys
import tempfile
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from app_support import PackageTest
from support import WorkerTest

from svc.runtime import queue_function
from svc.runtime._load import AppError


class Handlers(PackageTest):
    def handler(self, text: str, function: str = "f", module: str = "worker") -> Callable[[Any], Any]:
        self.write(f"{module.replace('.', '/')}.py", text)
        self.on_path()
        return queue_function(module, function, endpoint="f")

    def test_the_fields_of_the_input_are_the_arguments(self) -> None:
        handler = self.handler("""
            from svc import Endpoint
            @Endpoint(name="f")
            def f(a, /, b, *rest, c=3, **more): return [a, b, rest, c, more]
        """)
        self.assertEqual(handler({"input": {"b": 2, "a": 1, "d": 4}}), [1, 2, (), 3, {"d": 4}])

    def test_no_input_is_no_arguments(self) -> None:
        handler = self.handler("def f(a=1): return a")
        for job in ({"input": {}}, {"input": None}, {}, {"input": {"__empty": True}}):
            self.assertEqual(handler(job), 1)

    def test_input_that_is_no_object_is_an_error_in_words(self) -> None:
        handler = self.handler("def f(a=1): return a")
        for given, kind in (([], "a list"), ("x", "a string"), (0, "a number"), (False, "a bool"), (1.5, "a number")):
            text = f'input must be an object with the arguments as fields, like {{"input": {{"x": 1}}}}; it is {kind}'
            self.assertEqual(handler({"input": given}), {"error": text})

    def test_arguments_that_do_not_fit_are_named_with_the_signature(self) -> None:
        handler = self.handler("def f(image: str, width: int, height: int = 3) -> str: ...")
        takes = "it takes f(image: str, width: int, height: int = 3)"
        for given, fault in (
            ({"width": 1}, "missing argument image"),
            ({}, "missing arguments image, width"),
            ({"image": "a", "width": 1, "with": 2, "x": 3}, "unexpected arguments with, x"),
            ({"image": "a", "wide": 1}, "missing argument width, unexpected argument wide"),
        ):
            self.assertEqual(handler({"input": given}), {"error": f"f: {fault}; {takes}"})

    def test_a_handler_is_of_the_kind_of_its_function(self) -> None:
        async def collect(stream: Any) -> list[Any]:
            return [chunk async for chunk in stream]

        cases = (
            ("def f(a): return a", lambda function: False, lambda value: value),
            ("async def f(a): return a", inspect.iscoroutinefunction, asyncio.run),
            ("def f(a):\n    yield a", inspect.isgeneratorfunction, lambda value: next(value)),
            ("async def f(a):\n    yield a", inspect.isasyncgenfunction, lambda value: asyncio.run(collect(value))[0]),
        )
        for number, (text, is_kind, result) in enumerate(cases):
            for line in ("", "from svc import Endpoint\n@Endpoint(name='f')\n"):
                handler = self.handler(line + text, module=f"worker_{number}_{len(line)}")
                self.assertEqual(is_kind(handler), number > 0)
                self.assertEqual(result(handler({"input": {"a": 5}})), 5)
                self.assertIn("missing argument a", result(handler({"input": {}}))["error"])

    def test_any_name_will_do(self) -> None:
        for name in ("e", "handler", "job", "error", "asyncio", "call"):
            self.assertEqual(self.handler(f"def {name}(x): return x", name, f"m_{name}")({"input": {"x": 1}}), 1)

    def test_folders_may_have_numbers_and_hyphens(self) -> None:
        self.write("01-start/2nd/helper.py", "x = 7")
        handler = self.handler("from . import helper\ndef f(): return helper.x", module="01-start.2nd.gpu-worker")
        self.assertEqual(handler({"input": {}}), 7)

    def test_a_file_in_a_folder_can_import_the_files_beside_it(self) -> None:
        self.write("01_start/mixed/cpu_worker.py", "def clean(text): return text.strip()")
        self.write("01_start/mixed/shared.py", "at = 'folder'")
        self.write("01_start/mixed/colorsys.py", "raise RuntimeError('that is the name of a module of Python')")
        self.write("shared.py", "at = 'root'")
        handler = self.handler(
            """
            import cpu_worker
            import colorsys
            def f(text):
                import shared
                from cpu_worker import clean
                return [clean(text), shared.at]
            """,
            module="01_start.mixed.pipeline",
        )
        self.assertEqual(handler({"input": {"text": " a "}}), ["a", "root"])

    def test_the_folder_is_added_once_and_only_for_a_module_that_is_there(self) -> None:
        self.write("02_more/helper.py", "x = 1")
        before = len(sys.path)
        for name in ("a", "b"):
            self.handler("import helper\ndef f(): ...", module=f"02_more.{name}")
        self.handler("def f(): ...", module="at_the_root")
        with self.assertRaises(ModuleNotFoundError):
            queue_function("02_more.gone", "f", endpoint="f")
        self.assertEqual(len(sys.path) - before, 2)  # the project's root is the other one
        self.assertEqual(sys.path.count(str(self.folder / "02_more")), 1)

    def test_a_function_that_is_not_there_and_a_module_that_fails_end_the_start(self) -> None:
        with self.assertRaisesRegex(AppError, 'module worker has no "g", which the endpoint "f" was built with'):
            self.handler("def f(): ...", "g")
        with self.assertRaises(ZeroDivisionError):
            self.handler("1 / 0", module="broken")

    def test_it_knows_that_it_owns_the_endpoint(self) -> None:
        handler = self.handler("""
            from svc import Endpoint
            @Endpoint(name="f")
            async def f(n): return 1 if n == 0 else 1 + await f(n - 1)
        """)
        self.assertEqual(asyncio.run(handler({"input": {"n": 3}})), 4)  # type: ignore[arg-type]


class InARealWorker(WorkerTest):
    def worker(self, text: str) -> Any:
        """A worker whose handler file calls the runtime, as the build writes it."""
        indented = repr(text)
        return self.start(f"""
            import os
            with open(os.path.join(os.path.dirname(__file__), "app.py"), "w") as file:
                file.write({indented})
            from svc.runtime import queue_function
            handler = queue_function("app", "f", endpoint="f")
        """)

    def test_a_generator_streams(self) -> None:
        service, _ = self.worker("from svc import Endpoint\n@Endpoint(name='f')\ndef f(n):\n    yield from range(n)\n")
        job_id = service.submit({"n": 3})
        self.assertEqual(service.result(job_id), {"output": []})
        self.assertEqual(service.chunks(job_id), [0, 1, 2])

    def test_an_async_function_and_bad_input(self) -> None:
        service, _ = self.worker("async def f(n):\n    return n + 1\n")
        self.assertEqual(service.result(service.submit({"n": 3})), {"output": 4})
        self.assertEqual(
            service.result(service.submit({"m": 3})),
            {"error": "f: missing argument n, unexpected argument m; it takes f(n)"},
        )

    def test_an_exception_carries_the_users_traceback(self) -> None:
        service, _ = self.worker("def f():\n    raise KeyError('x')\n")
        error = service.error(service.submit({}))
        self.assertEqual((error["error_type"], error["error_message"]), ("<class 'KeyError'>", "'x'"))
        self.assertIn('app.py", line 2, in f', error["error_traceback"])

    def generated(self, files: dict[str, str], module: str) -> Any:
        """A worker of a project on the disk, with a handler file as the build writes it."""
        folder = tempfile.TemporaryDirectory(prefix="svc-package-test-")
        self.addCleanup(folder.cleanup)
        handler = (
            "# Written by the build; changes are lost.\nfrom svc.runtime import queue_function\n\n"
            f"handler = queue_function({module!r}, 'f', endpoint='f')\n"
        )
        for name, text in {**files, "handler_f.py": handler}.items():
            path = Path(folder.name) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text))
        return self.start(Path(folder.name) / "handler_f.py")

    def test_the_project_may_have_a_handler_py_and_neighbours_of_its_own(self) -> None:
        service, _ = self.generated(
            {
                "handler.py": "name = 'mine'",
                "ex/neighbour.py": "name = 'beside'",
                "ex/app.py": """
                    import handler, neighbour
                    def f(): return [handler.name, neighbour.name]
                """,
            },
            "ex.app",
        )
        self.assertEqual(service.result(service.submit({})), {"output": ["mine", "beside"]})

    def test_tracebacks_of_a_generated_handler_hold_the_users_files_alone(self) -> None:
        for kind in ("def", "async def"):
            for end in ("", "\n    yield"):
                with self.subTest(kind, end=end):
                    source = f"{kind} f():\n    raise KeyError('x'){end}\n"
                    service, worker = self.generated({"app.py": source}, "app")
                    told = service.error(service.submit({}))["error_traceback"].splitlines()
                    app = str(worker.file.with_name("app.py"))
                    self.assertEqual(
                        [line for line in told if line.startswith("  File ")], [f'  File "{app}", line 2, in f']
                    )

    def test_an_app_that_cannot_be_imported_says_where(self) -> None:
        _, worker = self.generated({"app.py": "1 / 0"}, "app")
        self.assertEqual(worker.exit_code(), 1)
        lines = worker.log().splitlines()
        self.assertEqual(lines[0], "Traceback (most recent call last):")
        self.assertEqual(lines[1], f'  File "{worker.file.with_name("app.py")}", line 1, in <module>')
        self.assertEqual([line for line in lines if line.startswith("  File ")], lines[1:2])
        self.assertEqual(lines[-1], "ZeroDivisionError: division by zero")

    def test_the_mark_of_a_generated_file_is_the_one_that_the_build_writes(self) -> None:
        from svc_build._handlers import _HEADER
        from svc_worker._errors import _GENERATED

        self.assertEqual(_GENERATED, _HEADER)


del WorkerTest  # unittest would run it as a test of this file
