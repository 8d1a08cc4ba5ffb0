"""Small apps in the style of those written for the public tool: they are read unchanged."""

from __future__ import annotations

import unittest
from typing import Any

from scanning import ScanTest


def shape(document: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [
        (
            endpoint["kind"],
            endpoint["name"],
            {name: value for name, value in endpoint["settings"].items() if name != "name"},
            [(f["module"], f["name"], f["httpMethod"], f["httpPath"]) for f in endpoint["functions"]],
            endpoint["calls"],
        )
        for endpoint in document["endpoints"]
    ]


class PublicAppTest(ScanTest):
    def test_a_pipeline_of_three_files(self) -> None:
        cpu = """
            # preprocessing and postprocessing
            # run with: flash run
            from runpod_flash import CpuInstanceType, Endpoint

            @Endpoint(name="03_cpu", cpu=CpuInstanceType.CPU3G_2_8, idle_timeout=3)
            async def preprocess_text(input_data: dict) -> dict:
                \"\"\"Clean the text.\"\"\"
                import re
                return {"cleaned_text": re.sub(" +", " ", input_data["text"])}

            @Endpoint(name="03_cpu_post", cpu=["cpu3c-1-2", CpuInstanceType.CPU5C_1_2])
            async def postprocess_results(input_data: dict) -> dict:
                return input_data

            if __name__ == "__main__":
                import asyncio
                print(asyncio.run(preprocess_text({"text": "x"})))
        """
        gpu = """
            from runpod_flash import Endpoint, GpuGroup

            @Endpoint(name="03_gpu", gpu=GpuGroup.ADA_24, workers=(0, 3), dependencies=["torch"])
            async def gpu_inference(input_data: dict) -> dict:
                import torch
                return {"predictions": []}
        """
        pipeline = """
            from runpod_flash import Endpoint

            pipeline = Endpoint(name="03_pipeline", cpu="cpu3c-1-2", workers=(1, 3))

            @pipeline.post("/classify")
            async def classify(text: str) -> dict:
                from cpu_worker import postprocess_results, preprocess_text
                from gpu_worker import gpu_inference
                cleaned = await preprocess_text({"text": text})
                return await postprocess_results(await gpu_inference(cleaned))
        """
        folder = "01_getting-started/03_mixed"
        files = {f"{folder}/cpu_worker.py": cpu, f"{folder}/gpu_worker.py": gpu, f"{folder}/pipeline.py": pipeline}
        document = self.scan({**files, "requirements.txt": "runpod-flash\n", ".flashignore": "x"})
        self.assertEqual((document["errors"], document["warnings"]), ([], []))
        dotted = "01_getting-started.03_mixed"
        self.assertEqual(
            shape(document),
            [
                (
                    "queue",
                    "03_cpu",
                    {"cpu": "cpu3g-2-8", "idle_timeout": 3},
                    [(f"{dotted}.cpu_worker", "preprocess_text", None, None)],
                    [],
                ),
                (
                    "queue",
                    "03_cpu_post",
                    {"cpu": ["cpu3c-1-2", "cpu5c-1-2"]},
                    [(f"{dotted}.cpu_worker", "postprocess_results", None, None)],
                    [],
                ),
                (
                    "queue",
                    "03_gpu",
                    {"gpu": "ADA_24", "workers": [0, 3], "dependencies": ["torch"]},
                    [(f"{dotted}.gpu_worker", "gpu_inference", None, None)],
                    [],
                ),
                (
                    "load-balanced",
                    "03_pipeline",
                    {"cpu": "cpu3c-1-2", "workers": [1, 3]},
                    [(f"{dotted}.pipeline", "classify", "POST", "/classify")],
                    ["gpu_inference", "postprocess_results", "preprocess_text"],
                ),
            ],
        )

    def test_a_class_with_a_volume_and_routes_beside_it(self) -> None:
        gpu = """
            import logging
            from runpod_flash import DataCenter, Endpoint, GpuType, NetworkVolume

            logger = logging.getLogger(__name__)
            MODEL_PATH = "/runpod-volume/models"
            volume = NetworkVolume(name="vol", size=50, datacenter=DataCenter.EU_RO_1)

            @Endpoint(
                name="05_gpu",
                gpu=[GpuType.NVIDIA_GEFORCE_RTX_5090, GpuType.NVIDIA_L4],
                datacenter=[DataCenter.US_GA_2, DataCenter.EU_RO_1],
                volume=volume,
                env={"HF_HUB_CACHE": MODEL_PATH, "MODEL": f"{MODEL_PATH}/sd"},
                scaler_type=None,
            )
            class SimpleSD:
                def __init__(self):
                    import torch
                async def generate_image(self, prompt: str) -> dict: ...
        """
        api = """
            import runpod_flash as flash

            api = flash.Endpoint(name="05_api", cpu="cpu3c-1-2", scaler_type=flash.ServerlessScalerType.REQUEST_COUNT)

            @api.get("/images/{file_name}")
            async def get_image(file_name: str): ...

            @api.get("/images")
            async def list_images(): ...
        """
        document = self.scan({"gpu_worker.py": gpu, "cpu_worker.py": api})
        self.assertEqual((document["errors"], document["warnings"]), ([], []))
        self.assertEqual(
            shape(document),
            [
                (
                    "load-balanced",
                    "05_api",
                    {"cpu": "cpu3c-1-2", "scaler_type": "REQUEST_COUNT"},
                    [
                        ("cpu_worker", "get_image", "GET", "/images/{file_name}"),
                        ("cpu_worker", "list_images", "GET", "/images"),
                    ],
                    [],
                ),
                (
                    "queue",
                    "05_gpu",
                    {
                        "gpu": ["NVIDIA GeForce RTX 5090", "NVIDIA L4"],
                        "datacenter": ["US-GA-2", "EU-RO-1"],
                        "volume": {"name": "vol", "size": 50, "datacenter": "EU-RO-1"},
                        "env": {"HF_HUB_CACHE": "/runpod-volume/models", "MODEL": "/runpod-volume/models/sd"},
                    },
                    [("gpu_worker", "SimpleSD", None, None)],
                    [],
                ),
            ],
        )

    def test_the_bug_of_the_official_text_to_speech_example(self) -> None:
        source = """
            from runpod_flash import Endpoint, GpuGroup
            @Endpoint(name="tts", gpu=GpuGroup.ADA_24)
            async def generate_speech(input_data: dict) -> dict: ...
            @Endpoint(name="tts", gpu=GpuGroup.ADA_24)
            async def get_voices() -> dict: ...
        """
        self.assertEqual(
            self.errors({"gpu_worker.py": source}),
            [
                'gpu_worker.py:4 duplicate-name The endpoint name "tts" is used twice: for get_voices here and for '
                "generate_speech in gpu_worker.py line 2. Give each its own name."
            ],
        )


class OlderInterfaceTest(ScanTest):
    def test_resources_and_remote(self) -> None:
        source = """
            from runpod_flash import CpuLiveLoadBalancer, CpuLiveServerless, GpuGroup, LiveServerless, remote

            gpu_config = LiveServerless(name="gpu", gpus=[GpuGroup.ANY], workersMax=3, idleTimeout=5, imageName="x")
            api = CpuLiveLoadBalancer(name="api", instanceIds=["cpu3c-1-2"])

            @remote(resource_config=gpu_config, dependencies=["torch"])
            async def infer(x): ...

            @remote(CpuLiveServerless(name="cpu"))
            class Model:
                def go(self): ...

            @remote(api, method="POST", path="/x")
            async def x(a: int):
                return await infer(a)

            @remote(api, method="GET", path="/y", local=False)
            async def y(): ...

            @remote(gpu_config, local=True)
            def here(): ...
        """
        document = self.scan(source)
        self.assertEqual(document["errors"], [])
        self.assertEqual(
            shape(document),
            [
                (
                    "queue",
                    "gpu",
                    {"gpu": ["any"], "idle_timeout": 5, "workers": [0, 3], "dependencies": ["torch"]},
                    [("app", "infer", None, None)],
                    [],
                ),
                (
                    "load-balanced",
                    "api",
                    {"cpu": ["cpu3c-1-2"]},
                    [("app", "x", "POST", "/x"), ("app", "y", "GET", "/y")],
                    ["infer"],
                ),
                ("queue", "cpu", {"cpu": "cpu3g-2-8"}, [("app", "Model", None, None)], []),
            ],
        )

    def test_what_is_not_complete(self) -> None:
        source = """
            from runpod_flash import LiveLoadBalancer, remote
            api = LiveLoadBalancer(name="api")
            @remote
            def a(): ...
            @remote(api)
            def b(): ...
            @remote(api, method="GET", path="/c")
            def c(): ...
        """
        rest = "or use Endpoint instead of the older interface."
        self.assertEqual(
            self.errors(source),
            [
                "app.py:3 older-decorator `@remote` above a is not complete: "
                f"write @remote(resource_config=LiveServerless(name=...)), {rest}",
                "app.py:5 older-decorator `@remote(api)` above b is not complete: "
                f'write @remote(resource, method="POST", path="/path"), {rest}',
            ],
        )


if __name__ == "__main__":
    unittest.main()
