"""Decorated classes, from elsewhere and on their own worker."""

import asyncio
import copy
import os
from typing import Any

from app_support import PackageTest

from svc.runtime import queue_class
from svc.runtime._load import AppError

MODEL = """
    from svc import Endpoint

    made = []

    @Endpoint(name="model", cpu="cpu3c-1-2")
    class Model:
        kind = "small one"

        def __init__(self, size="small", *, seed=0):
            self.size, self.seed = size, seed
            made.append((size, seed))

        def predict(self, text, times=1):
            return [self.size, self.seed, text * times]

        async def warm(self):
            return "warm " + self.size

        def letters(self, text):
            yield from text

        @staticmethod
        def version():
            return 3

        def _hidden(self): ...

    @Endpoint(name="single")
    class Single:
        def run(self, method="slow"):
            return "ran " + method
"""


class FromElsewhere(PackageTest):
    def setUp(self) -> None:
        super().setUp()
        self.service = self.start_service()
        self.worker = self.app(MODEL)

    def test_the_method_and_its_arguments_are_the_input(self) -> None:
        self.service.completes("Model", [1])
        self.assertEqual(asyncio.run(self.worker.Model().predict("a", times=2)), [1])
        asyncio.run(self.worker.Model().warm())
        asyncio.run(self.worker.Model().version())
        self.assertEqual(
            self.service.inputs("Model"),
            [{"method": "predict", "text": "a", "times": 2}, {"method": "warm"}, {"method": "version"}],
        )
        self.assertEqual(self.worker.made, [])

    def test_constructor_arguments_are_not_lost(self) -> None:
        self.service.completes("Model", None)
        asyncio.run(self.worker.Model("large", seed=7).warm())
        self.assertEqual(
            self.service.inputs("Model"), [{"method": "warm", "__constructor": {"size": "large", "seed": 7}}]
        )

    def test_the_only_method_is_not_named(self) -> None:
        self.service.completes("Single", None)
        asyncio.run(self.worker.Single().run("fast"))
        asyncio.run(self.worker.Single().run())
        self.assertEqual(self.service.inputs("Single"), [{"method": "fast"}, {}])

    def test_wrong_uses_are_errors_before_anything_is_sent(self) -> None:
        for text, wrong in (
            ("missing a required argument: 'text'", lambda: self.worker.Model().predict()),
            ("got an unexpected keyword argument 'colour'", lambda: self.worker.Model(colour=1)),
            (r"Single\(\) takes no arguments", lambda: self.worker.Single(1)),
        ):
            with self.assertRaisesRegex(TypeError, text):
                wrong()
        with self.assertRaisesRegex(AttributeError, "Model has no method _hidden that can be called from elsewhere"):
            self.worker.Model()._hidden()
        self.assertEqual(self.service.calls, [])

    def test_it_is_still_like_the_class(self) -> None:
        model = self.worker.Model
        self.assertEqual((model.__name__, model.kind), ("Model", "small one"))
        self.assertEqual(copy.copy(model).kind, "small one")

        class Larger(model):  # type: ignore[misc, valid-type]
            pass

        self.assertEqual(Larger().predict("a"), ["small", 0, "a"])
        self.assertIsInstance(Larger(), model)


class OnTheWorker(PackageTest):
    def handler(self, cls: str = "Model", text: str = MODEL, **options: Any) -> Any:
        self.write("worker.py", text)
        self.on_path()
        return queue_class("worker", cls, endpoint=cls.lower(), **options)

    def made(self) -> Any:
        return self.import_app("worker").made

    def test_the_instance_is_made_at_the_start_and_only_once(self) -> None:
        handler = self.handler()
        self.assertEqual(self.made(), [("small", 0)])
        for _ in range(2):
            self.assertEqual(handler({"input": {"method": "predict", "text": "a"}}), ["small", 0, "a"])
        self.assertEqual(self.made(), [("small", 0)])

    def test_with_the_arguments_recorded_at_build(self) -> None:
        handler = self.handler(constructor={"size": "large"})
        self.assertEqual(handler({"input": {"method": "predict", "text": "a"}}), ["large", 0, "a"])
        self.assertEqual(self.made(), [("large", 0)])

    def test_an_instance_of_the_users_file_is_the_one_that_serves(self) -> None:
        self.handler(text=MODEL + '\n    model = Model("large")\n', constructor={"size": "large"})
        self.assertEqual(self.made(), [("large", 0)])

    def test_a_call_with_other_constructor_arguments_gets_an_instance_of_its_own(self) -> None:
        handler = self.handler()
        other = {"input": {"method": "predict", "text": "a", "__constructor": {"size": "large"}}}
        for _ in range(2):
            self.assertEqual(handler(other), ["large", 0, "a"])
        self.assertEqual(handler({"input": {"method": "predict", "text": "a"}}), ["small", 0, "a"])
        self.assertEqual(self.made(), [("small", 0), ("large", 0)])

    def test_instances_are_not_kept_without_end(self) -> None:
        handler = self.handler()
        for seed in (1, 2, 3, 4, 1):
            handler({"input": {"method": "version", "__constructor": {"seed": seed}}})
        self.assertEqual([seed for _, seed in self.made()], [0, 1, 2, 3, 4])
        handler({"input": {"method": "version"}})
        self.assertEqual([seed for _, seed in self.made()], [0, 1, 2, 3, 4, 0])

    def test_methods_of_every_kind(self) -> None:
        handler = self.handler()
        self.assertEqual(asyncio.run(handler({"input": {"method": "warm"}})), "warm small")
        self.assertEqual(list(handler({"input": {"method": "letters", "text": "ab"}})), ["a", "b"])
        self.assertEqual(handler({"input": {"method": "version"}}), 3)

    def test_errors_list_the_methods(self) -> None:
        handler = self.handler()
        listed = "predict, warm, letters, version"
        for given, error in (
            ({}, f'Model has several methods: name one as "method": {listed}'),
            ({"method": "_hidden"}, f"Model has no method '_hidden'; it has {listed}"),
            ({"method": "__init__"}, f"Model has no method '__init__'; it has {listed}"),
            ({"method": ["x"]}, f"Model has no method ['x']; it has {listed}"),
            ({"method": "predict"}, "Model.predict: missing argument text; it takes Model.predict(text, times=1)"),
            (
                {"method": "warm", "__constructor": {"x": 1}},
                "Model: unexpected argument x; it takes Model(size='small', *, seed=0)",
            ),
            ({"method": "warm", "__constructor": [1]}, "Model: the constructor's arguments must be an object"),
        ):
            self.assertEqual(handler_result(handler, given), {"error": error})

    def test_the_only_method_may_be_named_or_not(self) -> None:
        text = "from svc import Endpoint\n@Endpoint(name='x')\nclass X:\n    def run(self, a=1): return a"
        handler = self.handler("X", text)
        self.assertEqual([handler({"input": given}) for given in ({}, {"a": 2}, {"method": "run", "a": 3})], [1, 2, 3])
        self.assertEqual(handler({"input": {"method": "go"}}), {"error": "X has no method 'go'; it has run"})

    def test_the_only_method_may_have_a_parameter_named_method(self) -> None:
        handler = self.handler("Single")
        self.assertEqual([handler({"input": given}) for given in ({}, {"method": "fast"})], ["ran slow", "ran fast"])

    def test_arguments_that_the_build_did_not_find_are_asked_from_the_call(self) -> None:
        text = """
            from svc import Endpoint
            @Endpoint(name="x")
            class X:
                def __init__(self, a): self.a = a
                def run(self): return self.a
        """
        handler = self.handler("X", text)
        self.assertEqual(handler({"input": {"__constructor": {"a": 5}}}), 5)
        self.assertEqual(handler({"input": {}}), {"error": "X: missing argument a; it takes X(a)"})

    def test_a_class_without_methods_cannot_start(self) -> None:
        with self.assertRaisesRegex(AppError, "class X of worker has no method that can be called"):
            self.handler("X", "class X:\n    def _a(self): ...")

    def test_an_instance_is_an_ordinary_one_there(self) -> None:
        self.handler()
        os.environ["FLASH_RESOURCE_NAME"] = "model"
        self.assertEqual(self.import_app("worker").Model().predict("a"), ["small", 0, "a"])


def handler_result(handler: Any, given: Any) -> Any:
    return handler({"input": given})
