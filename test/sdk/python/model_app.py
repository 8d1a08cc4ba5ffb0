import os

import runpod

app = runpod.App("library")

tiny = runpod.Model("acme/tiny")
other = runpod.Model("acme/other")


@app.queue(name="reader", cpu="cpu3c-1-2", model=tiny)
def read():
    return {
        "config": (tiny.path / "config.json").read_text(),
        "nested": (tiny.path / "weights" / "part.bin").read_text(),
        "path": str(tiny.path),
        "other": str(other.path),
        "commit": (tiny.hf_cache_path / "refs" / "main").read_text(),
        "cached": (tiny.hf_cache_path / "snapshots" / os.environ["MODEL_REVISION"] / "config.json").read_text(),
        "hub": os.path.isdir(os.path.join(os.environ["HF_HUB_CACHE"], "models--acme--tiny")),
    }
