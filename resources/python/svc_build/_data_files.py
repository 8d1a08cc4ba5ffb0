"""Files of the packages on the worker that hold nothing but data: the scanner reads the same ones."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType


def load_data(package: str, name: str) -> ModuleType:
    """A file by its path: importing its package would cost more than a small scan."""
    path = Path(__file__).resolve().parents[1] / package / f"{name}.py"
    spec = importlib.util.spec_from_file_location(f"svc_build.{package}.{name}", path)
    assert spec is not None and spec.loader is not None, path
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
