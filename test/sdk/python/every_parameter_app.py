"""An app that uses every parameter, for app-manifest.test.ts."""

import runpod
from runpod import App, CpuInstanceType, DataCenter, GpuGroup, GpuType, NetworkVolume, Secret, get, init, post

NAME = "shop"
CPU = CpuInstanceType.CPU3C_1_2
app = App(NAME)
models = NetworkVolume("models", size=20, datacenter="EU-RO-1")


@app.queue()
def plain(n):
    return n


@app.queue(
    name="draw",
    gpu=[GpuGroup.ADA_24, GpuType.NVIDIA_H100_NVL, "H100", "any"],
    gpu_count=2,
    workers=(1, 5),
    idle_timeout=30,
    dependencies=["pillow>=10", "numpy"],
    system_dependencies=["ffmpeg"],
    mounts={"/runpod-volume": models},
    env={"TOKEN": Secret("hf-token"), "SIZE": 3, "NAME": NAME},
    datacenter=["eu_ro_1", DataCenter.US_KS_2],
    image="ghcr.io/ada/base:1",
    registry_auth="work",
    model=runpod.Model("owner/name:main"),
    max_concurrency=4,
    execution_timeout_ms=60_000,
    flashboot=False,
    scaler_type="request_count",
    scaler_value=2,
    min_cuda_version="12.8",
    accelerate_downloads=False,
    container_disk_gb=40,
)
async def draw_it(prompt):
    yield prompt


# Defaults are left out, also where they are written.
@app.queue(cpu=[CPU, "cpu5c-2-4"], workers=2, env={}, dependencies=[], max_concurrency=1, flashboot=True, scaler_value=4)
def small(text: str) -> str:
    return text


class Health:
    @get("/health")
    def health(self):
        return {"ok": True}


@app.api(name="web", cpu=CPU)
class Web(Health):
    @init
    def load(self):
        self.count = 0

    @post("/orders/{id}")
    async def order(self, id: str, body: dict):
        return id

    @runpod.delete("/orders/{id}")
    def cancel(self, id: str):
        return id


@app.api(gpu="4090", scaler_type="REQUEST_COUNT", model="owner/other")
def served():
    from fastapi import FastAPI

    return FastAPI()


@app.task(name="nightly", gpu=GpuType.ANY, mounts={"/a/": models, "/b": runpod.GlobalVolume("all")}, container_disk_gb=5)
def train(epochs: int = 1):
    return epochs
