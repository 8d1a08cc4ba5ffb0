"""The ComfyUI server as a child process: started, watched, and started again after it ended."""

from __future__ import annotations

import collections
import ctypes
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from comfy_worker._settings import Settings

LINES_KEPT = 2000
LINES_TOLD = 12
PR_SET_PDEATHSIG = 1
CARDS = ("/dev/nvidia0", "/dev/nvidiactl", "/dev/dxg", "/dev/kfd")

# Folders that ComfyUI knows. source: docs/spec/comfyui.md; others are found on the disk.
MODEL_FOLDERS = (
    "checkpoints diffusion_models unet text_encoders clip loras vae clip_vision controlnet t2i_adapter upscale_models "
    "embeddings style_models model_patches audio_encoders gligen hypernetworks photomaker latent_upscale_models vae_approx "
    "diffusers configs"
).split()
# ComfyUI has one list for both names of each.
PRESENT_NAMES = {"unet": "diffusion_models", "clip": "text_encoders", "t2i_adapter": "controlnet"}


def has_card() -> bool:
    return any(os.path.exists(path) for path in CARDS)


class ComfyProcess:
    """A separate thread starts each child, since Linux ends a child with the thread that started it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._work = Path(tempfile.mkdtemp(prefix="comfy-worker-"))
        self.stand_ins = self._work / "stand-ins"
        self._changed = threading.Condition()
        self._wanted = False
        self._child: subprocess.Popen[bytes] | None = None
        self._code: int | None = None
        self._lines: collections.deque[str] = collections.deque(maxlen=LINES_KEPT)
        threading.Thread(target=self._keep, name="comfyui", daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://{self._settings.host}:{self._settings.port}"

    def ensure(self) -> None:
        """Starts the server unless it runs; does not wait until it answers."""
        with self._changed:
            if self._child is not None and self._code is None:
                return
            self._wanted, self._child, self._code = True, None, None
            self._lines.clear()
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._child is not None or self._code is not None)

    def stop(self) -> None:
        with self._changed:
            if self._child is not None and self._code is None:
                self._child.kill()
                self._changed.wait_for(lambda: self._code is not None)

    def has_ended(self, within_s: float = 0) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: self._code is not None, within_s)

    def lines(self) -> list[str]:
        """The newest lines of its log."""
        with self._changed:
            return list(self._lines)

    def why_ended(self) -> str | None:
        """The end of a sentence about the server; None while it runs."""
        code = self._code
        if code is None:
            return None
        last = "\n".join(self.lines()[-LINES_TOLD:]).strip()
        words = f"ended with exit code {code}"
        if code == -signal.SIGKILL:
            words = "was killed (signal 9); usually it asked for more memory than the container has"
        elif code < 0:
            words = f"was ended by signal {-code}"
        return words + (f". Its last lines:\n{last}" if last else "")

    def command(self) -> list[str]:
        settings = self._settings
        command = [settings.python or sys.executable, "-u", "main.py", "--disable-auto-launch", "--log-stdout"]
        command += ["--listen", settings.host, "--port", str(settings.port), "--verbose", settings.log_level]
        if not has_card() and "--cpu" not in settings.arguments:
            command.append("--cpu")
        paths = self._work / "extra_model_paths.yaml"
        paths.write_text(self._model_paths())
        return [*command, "--extra-model-paths-config", str(paths), *self._folders(), *settings.arguments]

    def _model_paths(self) -> str:
        """JSON texts are YAML, too."""
        sections = []
        for at, root in enumerate([*self._settings.models, str(self.stand_ins)]):
            found = [one.name for one in Path(root).iterdir() if one.is_dir()] if Path(root).is_dir() else []
            names = [*MODEL_FOLDERS, *sorted(set(found).difference(MODEL_FOLDERS))]
            by_name: dict[str, list[str]] = {}
            for name in names:
                by_name.setdefault(PRESENT_NAMES.get(name, name), []).append(name)
            sections += [f"models_{at + 1}:", f"  base_path: {json.dumps(root)}"]
            sections += [f"  {json.dumps(name)}: {json.dumps(chr(10).join(paths))}" for name, paths in by_name.items()]
        return "\n".join(sections) + "\n"

    def _folders(self) -> list[str]:
        """Folders of its own where the container's user may not write into ComfyUI's; baked inputs stay."""
        home = Path(self._settings.home)
        if os.access(home, os.W_OK):
            return []
        for name in ("input", "output", "temp", "user"):
            (self._work / name).mkdir(exist_ok=True)
        if (home / "input").is_dir():
            shutil.copytree(home / "input", self._work / "input", dirs_exist_ok=True)
        names = {"input": "input", "output": "output", "temp": "", "user": "user"}
        return [part for name, folder in names.items() for part in (f"--{name}-directory", str(self._work / folder))]

    def _keep(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._wanted)
                self._wanted = False
            try:
                child = subprocess.Popen(
                    self.command(),
                    cwd=self._settings.home,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    preexec_fn=_end_with_parent,
                )
            except OSError as error:
                self._say(f"ComfyUI cannot be started in {self._settings.home}: {error}")
                self._set(None, 127)
                continue
            self._set(child, None)
            reader = threading.Thread(target=self._read, args=[child], daemon=True)
            reader.start()
            code = child.wait()
            # Child processes of the server may hold the pipe open.
            reader.join(1.0)
            self._set(child, code)

    def _set(self, child: subprocess.Popen[bytes] | None, code: int | None) -> None:
        with self._changed:
            self._child, self._code = child, code
            self._changed.notify_all()

    def _read(self, child: subprocess.Popen[bytes]) -> None:
        for line in child.stdout or ():
            os.write(1, line)
            self._say(line.decode("utf-8", "replace").rstrip())

    def _say(self, line: str) -> None:
        with self._changed:
            self._lines.append(line)


_LIBC = ctypes.CDLL(None) if sys.platform == "linux" else None


def _end_with_parent() -> None:
    if _LIBC is not None:
        _LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
