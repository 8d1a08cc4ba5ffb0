"""The test of an image, step by step."""

from __future__ import annotations

from typing import Any

from comfy_support import PLAIN, ComfyWorkerTest, node, sampling

BROKEN = """
    from .inner import Missing
    NODE_CLASS_MAPPINGS = {"Framed": Missing}
"""
CAT = {"folder": "checkpoints", "name": "cat.safetensors"}


class TestSteps(ComfyWorkerTest):
    def steps(self, workflow: dict[str, Any], test: dict[str, Any], **worker: Any) -> dict[str, Any]:
        service, _ = self.start_worker(**worker, COMFY_WORKER_TEST="1")
        output: dict[str, Any] = service.result(service.submit({"workflow": workflow, "test": test}))["output"]
        return output

    def test_a_graph_is_validated_with_stand_ins_for_its_models(self) -> None:
        output = self.steps(sampling(), {"models": [CAT]}, has_model=False)
        self.assertEqual(
            [(step["name"], step["passed"], step["text"]) for step in output["steps"]],
            [
                ("starts", True, "ComfyUI 0.3.64 on cpu"),
                ("loads all node classes", True, "6 classes of the graph, 13 in all"),
                ("validates the graph", True, "the server accepts it; stand-ins for 1 of its models"),
            ],
        )
        self.assertIs(output["full"], False)

    def test_a_graph_without_models_runs_in_full(self) -> None:
        output = self.steps(PLAIN, {})
        self.assertEqual([step["name"] for step in output["steps"]][-1], "runs the graph")
        self.assertEqual(output["steps"][-1]["text"], "1 result")
        self.assertEqual(len(output["images"]), 1)

    def test_a_graph_with_its_models_runs_in_full_where_that_is_asked_for(self) -> None:
        output = self.steps(sampling(), {"models": [CAT], "full": True})
        self.assertEqual(output["steps"][-1]["passed"], True)
        self.assertEqual(len(output["images"]), 1)

    def test_a_full_run_names_models_that_are_not_there(self) -> None:
        output = self.steps(sampling(), {"models": [CAT], "full": True}, has_model=False)
        (step,) = output["steps"]
        self.assertEqual(step["text"], "checkpoints/cat.safetensors is missing. Mount or bake them, or test without --full")

    def test_a_package_that_cannot_be_imported_is_named_with_the_end_of_its_error(self) -> None:
        graph = {**PLAIN, "3": node("Framed", images=["1", 0])}
        packages = [{"name": "frames", "classes": ["Framed"]}]
        output = self.steps(graph, {"nodes": packages}, packages={"frames": BROKEN})
        step = output["steps"][-1]
        self.assertEqual((step["name"], step["passed"]), ("loads all node classes", False))
        self.assertTrue(step["text"].startswith("Framed: frames could not be imported:\n"), step["text"])
        self.assertRegex(step["text"], r"\nModuleNotFoundError: No module named '.*\.inner'$")

    def test_a_class_that_no_package_has_is_named(self) -> None:
        output = self.steps({**PLAIN, "3": node("Nowhere")}, {})
        self.assertEqual(output["steps"][-1]["text"], "Nowhere: no package of the image has it.")

    def test_a_package_in_a_version_without_the_class_is_named(self) -> None:
        packages = [{"name": "empty", "classes": ["Framed"]}]
        output = self.steps(PLAIN, {"nodes": packages}, packages={"empty": "NODE_CLASS_MAPPINGS = {}"})
        self.assertEqual(
            output["steps"][-1]["text"], "Framed: empty was loaded, but does not have it. Choose another version of it."
        )

    def test_each_fault_of_the_graph_is_a_line(self) -> None:
        graph = {**PLAIN, "1": node("EmptyImage", width=0, height="tall", batch_size=1, color=0)}
        step = self.steps(graph, {})["steps"][-1]
        self.assertEqual((step["name"], step["passed"]), ("validates the graph", False))
        self.assertEqual(step["text"].splitlines()[0], "EmptyImage (1), width: Value 0 smaller than min of 1")

    def test_pictures_that_the_graph_loads_have_stand_ins(self) -> None:
        graph = {"1": node("LoadImage", image="cat.png"), "2": node("SaveImage", images=["1", 0], filename_prefix="a")}
        output = self.steps(graph, {"full": False})
        self.assertEqual(output["steps"][-1]["text"], "the server accepts it; stand-ins for 1 of its pictures")

    def test_a_server_that_does_not_start_is_the_first_step(self) -> None:
        (step,) = self.steps(PLAIN, {}, main="raise SystemExit('no module named torch')")["steps"]
        self.assertEqual((step["name"], step["passed"]), ("starts", False))
        self.assertIn("no module named torch", step["text"])
