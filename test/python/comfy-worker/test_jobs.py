"""Jobs of a worker with a ComfyUI of its own."""

from __future__ import annotations

import base64
import json
import os
from typing import Any

from comfy_support import ENDS_SERVER, PLAIN, ComfyWorkerTest, node, sampling


class Jobs(ComfyWorkerTest):
    def test_a_graph_gives_its_picture_and_the_same_one_for_the_same_seed(self) -> None:
        service, _ = self.start_worker()
        first, second = (service.submit({"workflow": sampling()}) for _ in range(2))
        (image,) = service.result(first)["output"]["images"]
        self.assertEqual(image.keys(), {"filename", "type", "data", "node", "mediaType"})
        self.assertEqual((image["filename"], image["type"], image["node"]), ("cat_00001_.png", "base64", "7"))
        self.assertTrue(base64.b64decode(image["data"]).startswith(b"\x89PNG"))
        self.assertEqual(service.result(second)["output"]["images"][0]["data"], image["data"])

    def test_progress_names_the_node_its_step_and_a_preview(self) -> None:
        service, _ = self.start_worker(STAND_IN_STEP_SECONDS="0.05", COMFY_ARGS="--preview-method auto")
        job = service.submit({"workflow": sampling(steps=20)})
        service.result(job)
        told = [value for value in service.progress(job) if value.get("node") == "5" and "preview" in value]
        self.assertEqual(told[-1]["steps"], 20)
        self.assertTrue(told[-1]["preview"]["data"].startswith("data:image/png;base64,"))

    def test_a_refused_graph_names_the_node_in_drydock(self) -> None:
        service, _ = self.start_worker()
        job = service.submit({"workflow": sampling(checkpoint="dog.safetensors")})
        error = json.loads(service.result(job)["error"])
        self.assertEqual((error["node"], error["class"], error["input"]), ("1", "CheckpointLoaderSimple", "ckpt_name"))
        self.assertTrue(error["message"].endswith("\n\nAvailable checkpoint models: cat.safetensors"))

    def test_images_of_the_job_are_loaded(self) -> None:
        service, _ = self.start_worker()
        first = service.submit({"workflow": PLAIN})
        picture = service.result(first)["output"]["images"][0]["data"]
        graph = {"1": node("LoadImage", image="in/one.png"), "2": node("SaveImage", images=["1", 0], filename_prefix="a")}
        job = service.submit({"workflow": graph, "images": [{"name": "in/one.png", "image": picture}]})
        self.assertEqual(len(service.result(job)["output"]["images"]), 1)

    def test_a_cancelled_job_is_interrupted_and_the_next_one_runs(self) -> None:
        service, _ = self.start_worker(STAND_IN_STEP_SECONDS="0.05")
        endless, following = service.submit({"workflow": sampling(steps=10_000)}), service.submit({"workflow": PLAIN})
        service.wait_for(lambda: any(value.get("step") for value in service.progress(endless)), "a step")
        service.stop(endless)
        self.assertIn("images", service.result(following)["output"])
        self.assertEqual(service.results(endless), [])

    def test_a_server_that_dies_fails_the_job_with_the_reason_and_is_started_again(self) -> None:
        service, _ = self.start_worker(packages={"ends": ENDS_SERVER}, WEBSOCKET_RECONNECT_DELAY_S="0")
        dying, following = service.submit({"workflow": {"1": node("EndServer")}}), service.submit({"workflow": PLAIN})
        error = service.result(dying)["error"]
        self.assertRegex(error, "^(WebSocket communication error|Error queuing workflow): ")
        self.assertIn("ComfyUI was killed (signal 9); usually it asked for more memory than the container has", error)
        self.assertIn("images", service.result(following)["output"])

    def test_the_older_output_has_one_image(self) -> None:
        service, _ = self.start_worker(COMFY_OUTPUT="message")
        job = service.submit({"workflow": PLAIN})
        output = service.result(job)["output"]
        self.assertEqual((output.keys(), output["status"]), ({"status", "message"}, "success"))
        self.assertTrue(base64.b64decode(output["message"]).startswith(b"\x89PNG"))

    def test_a_worker_asks_to_be_replaced_after_each_job_where_the_image_says_so(self) -> None:
        service, _ = self.start_worker(REFRESH_WORKER="true")
        self.assertIs(service.result(service.submit({"workflow": PLAIN}))["stopPod"], True)

    def test_results_for_a_bucket_need_boto3(self) -> None:
        service, _ = self.start_worker(BUCKET_ENDPOINT_URL="http://127.0.0.1:9")
        result = service.result(service.submit({"workflow": PLAIN}))
        self.assertIn("Error uploading plain_00001_.png to S3: ", result["error"])


class Life(ComfyWorkerTest):
    def test_a_server_that_does_not_start_ends_the_worker_with_its_last_lines(self) -> None:
        service, worker = self.start_worker(main="raise SystemExit('the weights do not fit')")
        self.assertEqual(worker.exit_code(), 1)
        self.assertIn("It ended with exit code 1. Its last lines:\nthe weights do not fit", worker.log())
        self.assertEqual(service.calls, [])

    def test_a_worker_without_its_card_ends(self) -> None:
        if os.path.exists("/dev/nvidia0"):
            self.skipTest("this machine has a card")
        _, worker = self.start_worker(RUNPOD_GPU_COUNT="1")
        self.assertEqual(worker.exit_code(), 1)
        self.assertIn("No GPU is visible", worker.log())

    def test_the_server_ends_with_the_worker(self) -> None:
        service, worker = self.start_worker()
        service.result(service.submit({"workflow": PLAIN}))
        children = _children(worker.process.pid)
        self.assertEqual(len(children), 1)
        worker.process.kill()
        worker.process.wait()
        _wait_until_gone(children[0])

    def test_sigterm_ends_an_idle_worker(self) -> None:
        service, worker = self.start_worker()
        service.result(service.submit({"workflow": PLAIN}))
        worker.terminate()
        self.assertEqual(worker.exit_code(), 0)


def _children(pid: int) -> list[int]:
    found: list[int] = []
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/children") as file:
            found += [int(child) for child in file.read().split()]
    return found


def _wait_until_gone(pid: int) -> Any:
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    import select

    poller = select.poll()
    poller.register(handle, select.POLLIN)
    assert poller.poll(90_000), "the server goes on without its worker"
