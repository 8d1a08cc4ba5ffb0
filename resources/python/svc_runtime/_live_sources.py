"""Sources that came with requests, each as a module with a real file.

The file is for tracebacks, and for the package: a function that calls another resource sends the source of its module
on. A module stays as long as its source is asked for, so what it holds (a model, a connection) serves the next request.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import threading
from collections.abc import Callable
from types import ModuleType

# Versions of the source at the same time. source: ours; two clients may have different ones.
_KEPT = 4


class LiveSources:
    """The modules of one worker; the newest _KEPT of them stay."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._modules: dict[str, ModuleType] = {}
        self._lock = threading.Lock()

    def module_of(self, source: str, prepare: Callable[[ModuleType], None]) -> ModuleType:
        """The module of this source. A new one is run and then prepared; raises what either raises."""
        name = f"live_{hashlib.sha256(source.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"
        with self._lock:
            module = self._modules.pop(name, None)
            if module is None:
                module = self._run(name, source)
                try:
                    prepare(module)
                except BaseException:
                    sys.modules.pop(name, None)
                    raise
            self._modules[name] = module  # the newest last
            while len(self._modules) > _KEPT:
                sys.modules.pop(self._forget_oldest(), None)
            return module

    def _forget_oldest(self) -> str:
        name = next(iter(self._modules))
        del self._modules[name]
        return name

    def _run(self, name: str, source: str) -> ModuleType:
        path = os.path.join(self._folder, f"{name}.py")
        with open(path, "w", encoding="utf-8", errors="surrogatepass") as file:
            file.write(source)
        spec = importlib.util.spec_from_file_location(name, path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{path} is not a Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module  # before it runs: dataclasses and pickles look for it there
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[name]
            raise
        _pickle_by_value(module)
        return module


def _pickle_by_value(module: ModuleType) -> None:
    """What the source defines travels whole in pickled results: the caller has no module of this name."""
    cloudpickle = sys.modules.get("cloudpickle")
    if cloudpickle is not None:
        cloudpickle.register_pickle_by_value(module)
