"""Workers of images with the stand-in for ComfyUI, and the service's side of their protocol."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]
if str(TESTS) not in sys.path:
    sys.path.insert(0, str(TESTS))

from support import PATIENCE_S, ROOT, RUNTIME, FakeService, WorkerTest  # noqa: E402

STAND_IN = ROOT / "test" / "fixtures" / "stand-in-comfyui"

# Ends the server in the middle of a prompt, as the machine does when it has no memory left.
ENDS_SERVER = """
    import os, signal

    class EndServer:
        @classmethod
        def INPUT_TYPES(cls):
            return {"required": {}}

        RETURN_TYPES = ()
        FUNCTION = "run"
        OUTPUT_NODE = True

        def run(self):
            os.kill(os.getpid(), signal.SIGKILL)

    NODE_CLASS_MAPPINGS = {"EndServer": EndServer}
"""


def node(class_type: str, **inputs: Any) -> dict[str, Any]:
    return {"class_type": class_type, "inputs": inputs}


def sampling(steps: int = 2, checkpoint: str = "cat.safetensors") -> dict[str, Any]:
    """A graph from a text to a picture; its sampler is node 5."""
    links = {"model": ["1", 0], "positive": ["2", 0], "negative": ["3", 0], "latent_image": ["4", 0]}
    numbers = {"seed": 2**64 - 1, "steps": steps, "cfg": 7, "denoise": 1}
    return {
        "1": node("CheckpointLoaderSimple", ckpt_name=checkpoint),
        "2": node("CLIPTextEncode", clip=["1", 1], text="a cat"),
        "3": node("CLIPTextEncode", clip=["1", 1], text=""),
        "4": node("EmptyLatentImage", width=32, height=32, batch_size=1),
        "5": node("KSampler", **links, **numbers, sampler_name="euler", scheduler="normal"),
        "6": node("VAEDecode", samples=["5", 0], vae=["1", 2]),
        "7": node("SaveImage", images=["6", 0], filename_prefix="cat"),
    }


PLAIN = {"1": node("EmptyImage", width=16, height=16, batch_size=1, color=255), "2": node("SaveImage", images=["1", 0])}
PLAIN["2"]["inputs"]["filename_prefix"] = "plain"


class ComfyWorkerProcess:
    def __init__(self, service: FakeService, folder: Path, env: dict[str, str]) -> None:
        self.home, self.log_path = folder / "comfyui", folder / "worker.log"
        inherited = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        own = {"PYTHONPATH": str(RUNTIME), "COMFY_HOME": str(self.home), "COMFY_PORT": str(_free_port())}
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "comfy_worker"],
                cwd=folder,
                env={**inherited, **service.environment(), **own, "SVC_ENDPOINT": "hello", **env},
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def log(self) -> str:
        return self.log_path.read_text()

    def terminate(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def exit_code(self) -> int:
        return self.process.wait(PATIENCE_S)


class ComfyWorkerTest(WorkerTest):
    """A worker with a ComfyUI of its own, whose checkpoint is cat.safetensors."""

    def start_worker(
        self, *, packages: dict[str, str] | None = None, has_model: bool = True, main: str | None = None, **env: str
    ) -> tuple[FakeService, ComfyWorkerProcess]:
        """`packages`: source of a package of custom nodes by name. `main`: the source of another server."""
        temporary = tempfile.TemporaryDirectory(prefix="comfy-worker-test-")
        self.addCleanup(temporary.cleanup)
        folder = Path(temporary.name)
        home = folder / "comfyui"
        shutil.copytree(STAND_IN, home)
        if has_model:
            (home / "models" / "checkpoints" / "cat.safetensors").write_text("weights of a cat")
        for name, source in (packages or {}).items():
            (home / "custom_nodes" / name).mkdir()
            (home / "custom_nodes" / name / "__init__.py").write_text(textwrap.dedent(source))
        if main is not None:
            (home / "main.py").write_text(main)
        service = self.start_service()
        worker = ComfyWorkerProcess(service, folder, env)
        self.addCleanup(self._end, worker)
        return service, worker


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
