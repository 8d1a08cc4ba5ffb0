"""Apps written for the public tool."""

import asyncio
import os
import warnings

from app_support import PackageTest

import runpod_flash
import svc
from svc.runtime import queue_class, queue_function

# In the style of the public examples: numbered folders, enums, a pipeline over several endpoints, each imported late.
WORKERS = """
    from runpod_flash import CpuInstanceType, DataCenter, Endpoint, GpuGroup, GpuType, NetworkVolume
    from runpod_flash import ServerlessScalerType

    volume = NetworkVolume(name="volume", size=50, datacenter=DataCenter.EU_RO_1)

    @Endpoint(name="01_gpu", gpu=[GpuType.NVIDIA_GEFORCE_RTX_4090, GpuGroup.ANY], workers=(0, 3), idle_timeout=300,
              scaler_type=ServerlessScalerType.QUEUE_DELAY, scaler_value=4, dependencies=["torch"], volume=volume,
              datacenter=DataCenter.US_GA_2)
    async def gpu_inference(payload: dict) -> dict:
        return {"label": payload["text"].upper()}

    @Endpoint(name="01_cpu", cpu=CpuInstanceType.CPU3C_1_2)
    def preprocess(payload: dict) -> dict:
        return {"text": payload["text"].strip()}

    @Endpoint(name="01_model", gpu=GpuGroup.ADA_24)
    class Model:
        def __init__(self):
            self.ready = True
        def predict(self, text: str) -> dict:
            return {"ready": self.ready, "text": text}

    if __name__ == "__main__":
        import asyncio
        print(asyncio.run(gpu_inference({"text": "x"})))
"""

PIPELINE = """
    from runpod_flash import Endpoint

    pipeline = Endpoint(name="01_pipeline", cpu="cpu3c-1-2", workers=(1, 3))

    @pipeline.post("/classify")
    async def classify(text: str) -> dict:
        from workers import gpu_inference, preprocess
        return await gpu_inference(await preprocess({"text": text}))
"""


class PublicApps(PackageTest):
    def test_run_unchanged_on_their_workers(self) -> None:
        self.write("01_start/workers.py", WORKERS)
        self.on_path()
        gpu = queue_function("01_start.workers", "gpu_inference", endpoint="01_gpu")
        self.assertEqual(asyncio.run(gpu({"input": {"payload": {"text": "a"}}})), {"label": "A"})
        cpu = queue_function("01_start.workers", "preprocess", endpoint="01_cpu")
        self.assertEqual(cpu({"input": {"payload": {"text": " a "}}}), {"text": "a"})
        model = queue_class("01_start.workers", "Model", endpoint="01_model", constructor={})
        self.assertEqual(model({"input": {"text": "a"}}), {"ready": True, "text": "a"})

    def test_a_pipeline_calls_its_peers_over_the_service(self) -> None:
        service = self.start_service()
        service.completes("preprocess", {"text": "a"})
        service.completes("gpu_inference", {"label": "A"})
        self.write("workers.py", WORKERS)
        pipeline = self.app(PIPELINE, "pipeline")
        os.environ["FLASH_RESOURCE_NAME"] = "01_pipeline"
        self.assertEqual(asyncio.run(pipeline.classify(" a ")), {"label": "A"})
        self.assertEqual(service.inputs("preprocess"), [{"payload": {"text": " a "}}])
        self.assertEqual(service.inputs("gpu_inference"), [{"payload": {"text": "a"}}])

    def test_the_older_resources_and_remote(self) -> None:
        service = self.start_service()
        worker = self.app("""
            from runpod_flash import CpuLiveLoadBalancer, CpuLiveServerless, GpuGroup, LiveServerless, remote

            gpu = LiveServerless(
                name="gpu", gpus=[GpuGroup.ADA_24], workersMin=1, workersMax=3, idleTimeout=5, imageName="x"
            )
            lb = CpuLiveLoadBalancer(name="lb", workersMax=2)

            @remote(resource_config=gpu, dependencies=["torch"])
            async def infer(x): return x

            @remote(CpuLiveServerless(name="cpu", instanceIds=["cpu3g-1-4"]))
            class Tool:
                def use(self): ...

            @remote(gpu, local=True)
            def here(): return "here"

            @remote(lb, method="GET", path="/a")
            async def a(): ...

            @remote(lb, method="post", path="/a")
            async def b(x: int): ...
        """)
        service.completes("infer", 1)
        service.completes("Tool", 2)
        self.assertEqual(asyncio.run(worker.infer(5)), 1)
        self.assertEqual(asyncio.run(worker.Tool().use()), 2)
        self.assertEqual(worker.here(), "here")
        path = service.deploy("b", load_balanced=True)
        service.reply(f"{path}/a", (200, 3))
        self.assertEqual(asyncio.run(worker.b(5)), 3)
        told = worker.gpu.endpoint().settings
        self.assertEqual((told.gpu, told.workers, told.idle_timeout), (["ADA_24"], (1, 3), 5))
        with self.assertRaisesRegex(ValueError, "a load-balanced resource needs method and path"):
            runpod_flash.remote(worker.lb)(lambda: 1)
        with self.assertRaisesRegex(
            ValueError, "method='HEAD' is not allowed; it must be one of GET, POST, PUT, DELETE, PATCH"
        ):
            runpod_flash.remote(worker.lb, method="HEAD", path="/x")

    def test_its_names_are_ours(self) -> None:
        for name in runpod_flash.__all__:
            self.assertTrue(hasattr(runpod_flash, name), name)
        for name in (
            "Endpoint",
            "GpuGroup",
            "GpuType",
            "CpuInstanceType",
            "DataCenter",
            "NetworkVolume",
            "PodTemplate",
        ):
            self.assertIs(getattr(runpod_flash, name), getattr(svc, name))
        from runpod_flash.core.resources import LiveServerless as Older
        from runpod_flash.core.resources.template import KeyValuePair

        self.assertIs(Older, runpod_flash.LiveServerless)
        self.assertEqual([(pair.key, pair.value) for pair in KeyValuePair.from_dict({"A": "1"})], [("A", "1")])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            from runpod_flash import CudaVersion, LiveServerless, remote  # noqa: F401
