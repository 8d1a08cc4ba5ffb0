"""Mistakes in the way endpoints are written, each with its exact message, file and line."""

from __future__ import annotations

import unittest

from scanning import HELLO, ScanTest

WRITE = 'Write `from svc import Endpoint` and `@Endpoint(name="hello")` above a function.'


class NothingFoundTest(ScanTest):
    def test_no_file(self) -> None:
        self.assertEqual(
            self.errors({"README.md": ""}),
            [f".:1 nothing-decorated No endpoint was found: there is no Python file in app. {WRITE}"],
        )

    def test_the_decorator_is_missing(self) -> None:
        self.assertEqual(
            self.errors("def hello(): ..."),
            [
                ".:1 nothing-decorated No endpoint was found: no function in the one Python file of app is decorated. "
                + WRITE
            ],
        )
        self.assertEqual(
            self.errors({"b.py": "import json\nfrom svc import Endpoint\n\ndef hello(): ..."}),
            [
                "b.py:2 nothing-decorated No endpoint was found: b.py imports the package, but no function is "
                "decorated. " + WRITE
            ],
        )

    def test_only_a_client(self) -> None:
        self.assertEqual(
            self.errors('from svc import Endpoint\nx = Endpoint(id="abc")'),
            [
                "app.py:2 nothing-decorated No endpoint was found: the Endpoint(...) here is a client of an endpoint "
                "that "
                f"exists. {WRITE}"
            ],
        )

    def test_the_files_are_ignored(self) -> None:
        self.assertEqual(
            self.errors({".gitignore": "*.tmp\nworkers/\n", "workers/hello.py": HELLO, "app.py": ""}),
            [
                "workers/hello.py:1 nothing-decorated No endpoint was found: workers/hello.py holds one, but "
                "`workers/` "
                "(.gitignore line 2) leaves it out of the build."
            ],
        )

    def test_the_files_are_ignored_by_a_built_in_pattern(self) -> None:
        self.assertEqual(
            self.errors({"build/hello.py": HELLO}),
            [
                "build/hello.py:1 nothing-decorated No endpoint was found: build/hello.py holds one, but the built-in "
                "pattern `build/` leaves it out of the build."
            ],
        )

    def test_the_decorator_has_no_call(self) -> None:
        self.assertEqual(
            self.errors("from svc import Endpoint\n\n@Endpoint\ndef hello(): ..."),
            [
                "app.py:3 nothing-decorated No endpoint was found: "
                '@Endpoint needs a call: write @Endpoint(name="...") above hello.'
            ],
        )

    def test_an_app_without_a_function(self) -> None:
        programs = {
            "import runpod\n\napp = runpod.App('shop')\n": 3,
            "from runpod import App as Shop\napp = Shop('shop')\n": 2,
            "import runpod.apps\napp = runpod.apps.App('shop')\n": 2,
        }
        for program, line in programs.items():
            (found,) = self.errors({"app.py": "", "main.py": program})
            self.assertRegex(found, rf"^main.py:{line} nothing-decorated .* the App\(\.\.\.\) here deploys no function\.")
        # The name alone says nothing.
        (other,) = self.errors({"app.py": "", "main.py": "import runpod\nfrom flask import App\napp = App('shop')\n"})
        self.assertIn("nothing-decorated", other)

    def test_both_forms_in_one_app(self) -> None:
        (found,) = self.errors({"app.py": HELLO, "main.py": "import runpod\napp = runpod.App('shop')\n"})
        self.assertRegex(found, r"^main.py:2 mixed-apps This App .* and the endpoint in app.py line 3 ")

    def test_another_mistake_already_says_why(self) -> None:
        (found,) = self.errors("from svc import Endpoint\n@Endpoint(\ndef hello(): ...")
        self.assertRegex(found, r"^app.py:2 syntax-error '\(' was never closed \(read by Python 3\.\d+\.\d+\)\.$")


class DecoratorTest(ScanTest):
    def broken(self, source: str) -> list[str]:
        """The errors next to a good endpoint."""
        self.write({"hello.py": HELLO})
        return self.errors(source)

    def test_without_a_call_beside_others(self) -> None:
        source = (
            "from svc import Endpoint\nimport svc\napi = Endpoint(name='api')\n@svc.Endpoint\ndef a(): ...\n"
            "@api.get\ndef b(): ...\n@api.get('/c')\ndef c(): ..."
        )
        self.assertEqual(
            self.broken(source),
            [
                'app.py:4 decorator-without-call @svc.Endpoint needs a call: write @svc.Endpoint(name="...") above a.',
                'app.py:6 decorator-without-call @api.get needs a call: write @api.get("/path") above b.',
            ],
        )

    def test_applied_by_a_call(self) -> None:
        source = "from svc import Endpoint\ndef f(): ...\ng = Endpoint(name='g')(f)\n"
        self.assertIn(
            "app.py:3 decorator-as-call Endpoint(name='g') is applied by a call here; "
            "write it as a decorator above the function.",
            self.broken(source),
        )

    def test_inside_of_a_function_or_class(self) -> None:
        source = """
            from svc import Endpoint
            def make():
                @Endpoint(name="a")
                def a(): ...
            class Group:
                @Endpoint(name="b")
                def b(self): ...
        """
        self.assertEqual(
            self.broken(source),
            [
                "app.py:3 nested-function a is decorated inside of make, where a worker cannot import it. "
                "Move it to the top level of the file.",
                "app.py:6 nested-function b is decorated inside of Group, where a worker cannot import it. "
                "Move it to the top level of the file.",
            ],
        )

    def test_an_endpoint_in_a_function_and_one_that_is_never_used(self) -> None:
        source = "from svc import Endpoint\napi = Endpoint(name='api')\ndef f():\n    return Endpoint(name='x')\n"
        self.write({"hello.py": HELLO})
        self.assertEqual(
            self.warnings(source + "class Mine(Endpoint): ..."),
            [
                'app.py:2 endpoint-without-functions endpoint "api" has no function, no route and no image, so it is '
                "left "
                "out. Decorate a function with it or remove it.",
                "app.py:4 endpoint-in-function Endpoint(...) inside of f is not part of the build. "
                "Move it to the top level of the file to deploy it.",
                "app.py:5 endpoint-used-indirectly Endpoint is used here in a way that cannot be read. "
                "Only `Endpoint(...)` written out becomes an endpoint.",
            ],
        )

    def test_it_is_not_known_which_endpoint(self) -> None:
        source = """
            import sys
            from svc import Endpoint
            if len(sys.argv) > 1:
                api = Endpoint(name="one")
            else:
                api = Endpoint(name="two")
            @api.get("/x")
            def x(): ...
        """
        self.assertEqual(
            self.broken(source),
            [
                "app.py:7 ambiguous-endpoint Which endpoint `api.get('/x')` is cannot be known when the app is built: "
                "`api` is set in several branches of app.py."
            ],
        )

    def test_both_patterns_on_one_object(self) -> None:
        source = (
            "from svc import Endpoint\napi = Endpoint(name='api')\n@api.get('/x')\ndef x(): ...\n@api\ndef y(): ..."
        )
        self.assertEqual(
            self.broken(source),
            [
                'app.py:5 mixed-patterns endpoint "api" is used both as a decorator of y and with routes. '
                "Make two endpoints of it."
            ],
        )

    def test_a_client_as_a_decorator(self) -> None:
        source = (
            "from svc import Endpoint\nx = Endpoint(id='abc')\n@x.get('/y')\ndef y(): ...\n"
            "@Endpoint(name='i', image='i:1')\ndef z(): ..."
        )
        self.assertEqual(
            self.broken(source),
            [
                "app.py:3 client-as-decorator endpoint x has id=..., so it is a client and runs no function of yours. "
                "Decorate y with an Endpoint(name=...) of its own.",
                'app.py:5 client-as-decorator endpoint "i" has image=..., so it is a client and runs no function of '
                "yours. "
                "Decorate z with an Endpoint(name=...) of its own.",
            ],
        )

    def test_a_class_without_methods(self) -> None:
        source = "from svc import Endpoint\n@Endpoint(name='m')\nclass M:\n    def _go(self): ..."
        self.assertEqual(
            self.broken(source),
            ["app.py:3 class-without-methods The class M has no public method that a job could call."],
        )


class UniqueTest(ScanTest):
    def test_a_name_twice_in_one_file(self) -> None:
        source = "from svc import Endpoint\n@Endpoint(name='x')\ndef a(): ...\n@Endpoint(name='x')\ndef b(): ..."
        self.assertEqual(
            self.errors(source),
            [
                'app.py:4 duplicate-name The endpoint name "x" is used twice: for b here and for a in app.py line 2. '
                "Give each its own name."
            ],
        )

    def test_a_name_twice_in_two_files(self) -> None:
        one = "from svc import Endpoint\n@Endpoint(name='x')\ndef a(): ..."
        two = "from svc import Endpoint\napi = Endpoint(name='x')\n@api.get('/')\ndef b(): ..."
        self.assertEqual(
            self.errors({"one.py": one, "two.py": two}),
            [
                'two.py:2 duplicate-name The endpoint name "x" is used twice: for routes here and for a in one.py '
                "line 2. "
                "Give each its own name."
            ],
        )

    def test_two_functions_on_one_object(self) -> None:
        source = "from svc import Endpoint\nw = Endpoint(name='x')\n@w\ndef a(): ...\n@w\ndef b(): ..."
        self.assertIn("app.py:5 duplicate-name", self.errors(source)[0])

    def test_a_function_twice(self) -> None:
        source = "from svc import Endpoint\n@Endpoint(name='{0}')\ndef run(): ..."
        self.assertEqual(
            self.errors({"a.py": source.format("x"), "b.py": source.format("y")}),
            [
                "b.py:2 duplicate-function The function run is decorated twice: here and in a.py line 2. "
                "Rename one of them."
            ],
        )
        self.assertEqual(
            self.errors({"a.py": source.format("x") + "\n@Endpoint(name='z')\ndef run(): ...", "b.py": ""}),
            [
                "a.py:4 duplicate-function The function run is decorated twice: here and in a.py line 2. "
                "Rename one of them."
            ],
        )

    def test_a_route_twice(self) -> None:
        source = """
            from svc import Endpoint
            api = Endpoint(name="api")
            @api.get("/items/{id}")
            def one(id): ...
            @api.get("/items/{name}")
            def two(name): ...
            @api.post("/items/{id}")
            def three(id): ...
        """
        self.assertEqual(
            self.errors(source),
            [
                'app.py:5 duplicate-route GET /items/{name} of "api" is declared twice: for two here and for one in '
                "app.py "
                "line 3."
            ],
        )


class RouteTest(ScanTest):
    def test_paths(self) -> None:
        source = """
            import os
            from svc import Endpoint
            api = Endpoint(name="api")
            @api.get("/ping")
            def a(): ...
            @api.post("/execute")
            def b(): ...
            @api.get("items")
            def c(): ...
            @api.get()
            def d(): ...
            @api.get(os.sep)
            def e(): ...
            @api.options("/x")
            def f(): ...
            @api.get("/good")
            class G: ...
        """
        begins = 'one text that begins with /, like @api.post("/items/{id}")'
        self.assertEqual(
            self.errors(source),
            [
                "app.py:6 reserved-path /execute is used by the worker itself. Choose another path for b.",
                f"app.py:8 invalid-value path of a route of endpoint \"api\" is `'items'`; it takes {begins}.",
                f'app.py:10 invalid-value path of a route of endpoint "api" is `api.get()`; it takes {begins}.',
                'app.py:12 unresolved-value path of a route of endpoint "api" cannot be known when the app is built: '
                "`os.sep` is not part of the project. Write the path itself or a constant of a project file.",
                "app.py:14 unknown-route-method @api.options is no route decorator; there are @api.get(path), "
                "@api.post(path), @api.put(path), @api.delete(path), @api.patch(path).",
                "app.py:16 class-with-route G is a class; only a function can be a route.",
            ],
        )

    def test_a_load_balanced_endpoint_needs_a_name(self) -> None:
        self.assertEqual(
            self.errors("from svc import Endpoint\napi = Endpoint(cpu='cpu3c-1-2')\n@api.get('/')\ndef a(): ..."),
            [
                "app.py:2 load-balanced-without-name An endpoint with routes needs a name: "
                'write Endpoint(name="...", ...).'
            ],
        )

    def test_settings_of_a_queue_on_a_load_balanced_endpoint(self) -> None:
        source = (
            "from svc import Endpoint\napi = Endpoint(name='api',\nscaler_type='QUEUE_DELAY',\nmax_concurrency=4)\n"
            "@api.get('/')\ndef a(): ..."
        )
        document = self.scan(source)
        self.assertEqual(
            [(p["line"], p["message"]) for p in document["errors"] + document["warnings"]],
            [
                (
                    3,
                    'scaler_type of endpoint "api" is QUEUE_DELAY, but an endpoint with routes has no queue; '
                    "it takes REQUEST_COUNT.",
                ),
                (
                    4,
                    'max_concurrency of endpoint "api" has no effect: a worker with routes answers requests as they '
                    "come.",
                ),
            ],
        )


class FileTest(ScanTest):
    def test_a_sync_function_with_max_concurrency(self) -> None:
        source = "from svc import Endpoint\n@Endpoint(name='x', max_concurrency=4)\n{0}def x(): ..."
        self.assertEqual(
            self.warnings(source.format("")),
            [
                "app.py:2 sync-concurrency x is not async, so its 4 jobs at once run in threads. "
                "Make sure that it is thread-safe."
            ],
        )
        self.assertEqual(self.warnings(source.format("async ")), [])

    def test_a_path_that_cannot_be_imported(self) -> None:
        self.assertEqual(
            self.errors({"v1.2/app.py": HELLO}),
            [
                "v1.2/app.py:3 unimportable-path v1.2/app.py holds an endpoint, but a name with a dot cannot be "
                "imported: "
                "rename v1.2."
            ],
        )

    def test_names_of_modules_that_the_worker_has(self) -> None:
        for file, module, owner in (
            ("svc_worker.py", "svc_worker", "the worker"),
            ("queue/jobs.py", "queue", "Python"),
            ("signal.py", "signal", "Python"),
        ):
            with self.subTest(file):
                document = self.scan({file: HELLO})
                (self.root / file).unlink()
                self.assertEqual(
                    [problem["message"] for problem in document["errors"]],
                    [f"{file} holds an endpoint, but on a worker the module {module} belongs to {owner}. Rename it."],
                )
        self.assertEqual(self.errors({"app/queue.py": HELLO, "json.py": ""}), [])

    def test_a_project_may_have_a_handler_py(self) -> None:
        self.assertEqual(self.errors({"handler.py": HELLO}), [])

    def test_names_that_only_the_older_package_has(self) -> None:
        source = """
            from svc import Endpoint, LiveServerless, remote
            @Endpoint(name="a")
            def a(): ...
            gpu = LiveServerless(name="b")
            @remote(gpu)
            def b(): ...
        """
        self.assertEqual(
            self.errors(source),
            [
                f"app.py:1 name-of-older-package The package svc has no {name}. "
                f"Write `from runpod_flash import {name}`, or use Endpoint instead."
                for name in ("LiveServerless", "remote")
            ],
        )
        self.assertEqual(self.errors(source.replace("from svc", "from runpod_flash")), [])

    def test_a_file_that_hides_the_package(self) -> None:
        self.assertEqual(
            self.errors({"svc.py": "", "app.py": HELLO})[0],
            "svc.py:1 shadowed-package svc.py hides the package `svc` that the app imports. Rename it.",
        )

    def test_a_broken_file_that_nobody_needs_is_no_problem(self) -> None:
        self.assertEqual(self.errors({"old.py": "print 'hello'", "app.py": HELLO, "null.py": "\0"}), [])

    def test_a_broken_file_that_an_endpoint_imports(self) -> None:
        found = self.errors({"old.py": "print 'hello'", "app.py": HELLO + "\n    import old\n"})
        self.assertEqual(found[0].split(" ")[:2], ["old.py:1", "syntax-error"])

    def test_null_bytes_and_deep_nesting(self) -> None:
        self.assertIn("syntax-error", self.errors({"app.py": "import svc\0"})[0])
        self.assertIn("syntax-error", self.errors({"app.py": f"import svc\nx = {'-' * 100_000}1"})[0])


if __name__ == "__main__":
    unittest.main()
