"""The model of a worker that is a process: the package looks for it at paths that only containers have."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Mapping
from pathlib import Path


def configure_model(env: Mapping[str, str]) -> None:
    """Call before the user's code is imported, with the packages of the app on sys.path."""
    folder = env.get("SVC_MODEL_FOLDER")
    if not folder or importlib.util.find_spec("runpod") is None:
        return
    try:
        package = importlib.import_module("runpod.apps.model")
        elsewhere = package.Model.path.fget
    except (ImportError, AttributeError):  # another version
        return
    files = Path(folder)  # CACHE/hub/models--OWNER--NAME/snapshots/COMMIT
    ours = files.parents[1].name
    package.HF_CACHE_ROOT = files.parents[3]

    def path(self: object) -> Path:
        """The folder of the files, of the model that this worker has."""
        is_ours = f"models--{self.owner}--{self.name}" == ours  # type: ignore[attr-defined]
        return files if is_ours else elsewhere(self)

    package.Model.path = property(path)
