"""Settings from the environment. Names and defaults are those of the public image worker where it has them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass

KIB = 1024
# A job's result is at most 20 MiB; base64 takes 4 bytes for 3. source: the limit resultBodyBytes of the service.
RESULT_BYTES = (20 * KIB - 64) * KIB * 3 // 4


@dataclass(frozen=True)
class Settings:
    """Times in seconds. `server`: the address of a server that runs already; None: this worker starts its own."""

    home: str
    python: str
    host: str
    port: int
    server: str | None
    arguments: tuple[str, ...]
    log_level: str
    models: tuple[str, ...]
    look_every_s: float
    look_attempts: int | None
    reconnect_attempts: int
    reconnect_delay_s: float
    comfy_org_key: str | None
    refreshes: bool
    answers_with_message: bool
    bucket: str | None
    expects_card: bool
    is_test: bool
    in_drydock: bool
    progress_s: float = 0.2
    preview_bytes: int = 160 * KIB
    result_bytes: int = RESULT_BYTES


def read_settings(env: Mapping[str, str]) -> Settings:
    def number(name: str, otherwise: float) -> float:
        text = env.get(name, "").strip()
        return float(text) if re.fullmatch(r"\d{1,9}(\.\d+)?", text) else otherwise

    def is_true(name: str) -> bool:
        return env.get(name, "").strip().lower() in ("true", "1")

    return Settings(
        home=env.get("COMFY_HOME") or "/comfyui",
        python=env.get("COMFY_PYTHON") or "",
        host="127.0.0.1",
        port=int(number("COMFY_PORT", 8188)),
        server=env.get("COMFY_SERVER") or None,
        arguments=tuple(shlex.split(env.get("COMFY_ARGS", ""))),
        log_level=env.get("COMFY_LOG_LEVEL") or "INFO",
        models=tuple(part for part in (env.get("COMFY_MODELS") or "/runpod-volume/models").split(":") if part),
        look_every_s=max(1.0, number("COMFY_API_AVAILABLE_INTERVAL_MS", 50)) / 1000,
        look_attempts=int(number("COMFY_API_AVAILABLE_MAX_RETRIES", 0)) or None,
        reconnect_attempts=int(number("WEBSOCKET_RECONNECT_ATTEMPTS", 5)),
        reconnect_delay_s=number("WEBSOCKET_RECONNECT_DELAY_S", 3),
        comfy_org_key=env.get("COMFY_ORG_API_KEY") or None,
        refreshes=is_true("REFRESH_WORKER"),
        answers_with_message=env.get("COMFY_OUTPUT", "").strip().lower() == "message",
        bucket=env.get("BUCKET_ENDPOINT_URL") or None,
        expects_card=number("RUNPOD_GPU_COUNT", 0) > 0,
        is_test=is_true("COMFY_WORKER_TEST"),
        in_drydock="SVC_ENDPOINT" in env,
    )
