"""`python3 -m comfy_worker`: starts ComfyUI, waits until it answers, and takes jobs with the SDK that the image has."""

from __future__ import annotations

import importlib.util
import os
import signal
import sys
from pathlib import Path

from comfy_worker._failure import Failure
from comfy_worker._worker import worker

HANDLER = str(Path(__file__).with_name("handler.py"))


def main() -> None:
    # Linux lets the first process of a container ignore a signal that it does not handle.
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    try:
        worker().start()
    except Failure as failure:
        sys.exit(f"comfy_worker: {failure.message}")
    has_own, has_public = (importlib.util.find_spec(name) is not None for name in ("svc_worker", "runpod"))
    # svc_worker speaks plain HTTP alone, which the service on the same machine offers.
    is_local = os.environ.get("RUNPOD_WEBHOOK_GET_JOB", "").startswith("http://")
    if has_own and (is_local or not has_public):
        from svc_worker.__main__ import main as take_jobs

        take_jobs([HANDLER])
    elif has_public:
        import runpod

        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        runpod.serverless.start({"handler": worker().handle})
    else:
        sys.exit("comfy_worker: this image has neither runpod nor svc_worker. Install one of them")


if __name__ == "__main__":
    main()
