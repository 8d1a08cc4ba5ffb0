"""Which endpoints call others, and the arguments with which classes are made."""

from __future__ import annotations

import unittest

from scanning import ScanTest

WORKERS = """
    from svc import Endpoint
    @Endpoint(name="resize")
    async def resize(x): ...
    @Endpoint(name="crop")
    async def crop(x):
        return await resize(x)
    @Endpoint(name="model")
    class Model:
        def __init__(self, size="small", *, fast=False): ...
        def draw(self): ...
"""


class RemoteCallsTest(ScanTest):
    def calls(self, body: str, **files: str) -> tuple[bool, list[str]]:
        source = f"from svc import Endpoint\n@Endpoint(name='main')\nasync def main():\n    {body}\n"
        others = {f"{name}.py": text for name, text in files.items()}
        (found,) = [
            e for e in self.endpoints({"workers.py": WORKERS, "app.py": source, **others}) if e["name"] == "main"
        ]
        return found["makesRemoteCalls"], found["calls"]

    def test_calls_of_functions_and_classes(self) -> None:
        self.assertEqual(self.calls("from workers import resize; return await resize(1)"), (True, ["resize"]))
        self.assertEqual(self.calls("import workers as w; return await w.Model().draw()"), (True, ["Model"]))
        self.assertEqual(self.calls("from workers import resize as r; await gather(*map(r, x))"), (True, ["resize"]))

    def test_calls_through_plain_functions(self) -> None:
        helpers = "def both(x):\n    from workers import crop\n    return inner(crop)\ndef inner(f):\n    return f"
        self.assertEqual(self.calls("from helpers import both; both(1)", helpers=helpers), (True, ["crop"]))

    def test_clients(self) -> None:
        clients = "from svc import Endpoint\nvllm = Endpoint(name='vllm', image='v:1')\nold = Endpoint(id='abc')"
        self.assertEqual(self.calls("from clients import vllm; vllm.run({})", clients=clients), (True, ["vllm"]))
        self.assertEqual(self.calls("from clients import old; old.run({})", clients=clients), (True, []))
        self.assertEqual(self.calls("Endpoint(id='x').run({})"), (True, []))

    def test_no_calls(self) -> None:
        self.assertEqual(self.calls("return resize(1)", helpers="def resize(x): ..."), (False, []))
        self.assertEqual(self.calls("from workers import resize\n    resize = print\n    return main"), (False, []))

    def test_endpoints_of_one_file(self) -> None:
        found = self.endpoints({"workers.py": WORKERS})
        self.assertEqual(
            [(e["name"], e["calls"]) for e in found], [("resize", []), ("crop", ["resize"]), ("model", [])]
        )


class ConstructorTest(ScanTest):
    def made(self, script: str) -> object:
        found = self.endpoints({"workers.py": WORKERS, "script.py": script})
        return found[2]["functions"][0]["constructor"]

    def test_arguments_by_name_and_by_place(self) -> None:
        self.assertEqual(
            self.made("from workers import Model\nSIZE = 'large'\nm = Model(SIZE, fast=True)"),
            {"args": [], "kwargs": {"size": "large", "fast": True}},
        )
        self.assertEqual(
            self.made("import workers\nasync def main():\n    size = 'xl'\n    await workers.Model(size=size).draw()"),
            {"args": [], "kwargs": {"size": "xl"}},
        )

    def test_what_only_a_script_does(self) -> None:
        guarded = "from workers import Model\nif __name__ == '__main__':\n    Model('tiny')"
        self.assertEqual(self.made(guarded), {"args": [], "kwargs": {}})

    def test_two_ways_to_make_it(self) -> None:
        script = "from workers import Model\na = Model('small')\nb = Model(size='small')\nc = Model('large')"
        self.assertEqual(
            self.warnings({"workers.py": WORKERS, "script.py": script}),
            [
                "script.py:4 constructor-conflict Model is made with other arguments here than in script.py line 2. "
                "A worker makes it once, with those of the first; a call with others makes it once more."
            ],
        )

    def test_arguments_that_are_not_known(self) -> None:
        script = "from workers import Model\ndef main(size):\n    Model(size)"
        self.assertEqual(
            self.warnings({"workers.py": WORKERS, "script.py": script}),
            [
                "script.py:3 constructor-unknown size of Model(...) is not known when the app is built: `size` gets "
                "its "
                "value when the code runs (script.py line 2). A worker makes it when the first call brings the "
                "argument "
                "along."
            ],
        )

    def test_arguments_that_nobody_gives(self) -> None:
        source = """
            from svc import Endpoint
            @Endpoint(name="m")
            class M:
                def __init__(self, path): ...
                def go(self): ...
        """
        self.assertEqual(
            self.warnings(source),
            [
                "app.py:4 constructor-arguments-missing M needs path to be made, and no call in the project gives it "
                "as a "
                "plain value: only calls that bring it along can be answered. Give it a default."
            ],
        )


if __name__ == "__main__":
    unittest.main()
