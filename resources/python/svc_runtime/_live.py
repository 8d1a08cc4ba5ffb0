"""Live mode: from a request with its source to the call of the function in it."""

from __future__ import annotations

import atexit
import functools
import hashlib
import importlib.util
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, NamedTuple

from svc_runtime._configure import configure
from svc_runtime._handles import body_of, find_handle, init_of
from svc_runtime._hooks import HookError, run_init, run_prestart_hooks
from svc_runtime._packages import PackageError, Packages, import_hint, missing_hint
from svc_runtime._requests import BadRequestError, FunctionRequest
from svc_runtime._sdk import provide_sdk
from svc_runtime._start import StartError
from svc_worker._errors import trimmed_traceback

# Versions of the source at the same time. source: ours; two clients may have different ones.
_KEPT = 4


class LiveFolder(NamedTuple):
    """Paths that are there, of this worker alone."""

    sources: str
    packages: str
    work: str


def enter_live_mode(env: Mapping[str, str]) -> LiveFolder:
    """Make the package and the folder ready and go there; it is gone when the worker has ended. Raises StartError."""
    provide_sdk(env)
    configure(env)
    given = env.get("SVC_STATE_FOLDER")
    if given:  # of a process: the service deletes it with the worker
        root = os.path.join(given, "live")
    else:
        root = tempfile.mkdtemp(prefix="drydock-live-")
        atexit.register(shutil.rmtree, root, ignore_errors=True)
    folder = LiveFolder(*(os.path.join(root, name) for name in LiveFolder._fields))
    for path in folder:
        os.makedirs(path, mode=0o700, exist_ok=True)
    sys.path.append(folder.sources)  # for child processes, which import a function's module by its name
    os.chdir(folder.work)
    return folder


class LiveFunctions:
    """The functions of one resource, whatever version of their source a request brings."""

    def __init__(self, resource: str | None, folder: LiveFolder) -> None:
        self._resource = resource
        self._packages = Packages(folder.packages)
        self._sources = LiveSources(folder.sources)

    def prepare(self, request: FunctionRequest) -> Callable[[], Any]:
        """Install, import and run `@init` of a new source; the call of the function is left to the caller.

        Raises BadRequestError, PackageError and HookError, and what the source raises.
        """
        self._packages.provide(request.dependencies, request.system_dependencies)
        module = self._sources.module_of(request.source, lambda made: self._initialise(made, request.function))
        function = self._function(module, request.function)
        args, kwargs = request.arguments()
        return functools.partial(function, *args, **kwargs)

    def _function(self, module: ModuleType, name: str) -> Callable[..., Any]:
        function = body_of(self._declared(module, name))
        if not callable(function):
            raise BadRequestError(f'the source defines no function "{name}"')
        return function  # type: ignore[no-any-return]  # the user's

    def _declared(self, module: ModuleType, name: str) -> Any:
        """The handle of our resource when it is of that function: a name of the module may stand for the plain one."""
        handle = None if self._resource is None else find_handle(module, self._resource)
        return handle if handle is not None and handle.__name__ == name else getattr(module, name, None)

    def _initialise(self, module: ModuleType, name: str) -> None:
        run_init(init_of(self._declared(module, name)), self._resource or name)
        run_prestart_hooks()


def error_text(error: BaseException) -> str:
    """The error of an answer: a traceback, which begins in the user's source; a sentence where no code is to blame."""
    if isinstance(error, (BadRequestError, HookError, PackageError, StartError)):
        cause = error.__cause__
        return str(error) if cause is None else f"{trimmed_traceback(cause)}{error}"
    return f"{trimmed_traceback(error)}{import_hint(error).strip()}".rstrip("\n") + missing_hint()


class LiveSources:
    """Sources that came with requests, each as a module with a real file; the newest _KEPT of them stay.

    The file is for tracebacks, and for the package: a function that calls another resource sends the source of its
    module on. A module stays as long as its source is asked for, so what it holds (a model, a connection) serves the
    next request.
    """

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
                oldest = next(iter(self._modules))
                del self._modules[oldest]
                sys.modules.pop(oldest, None)
            return module

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
        # Definitions of the source are pickled by value: the caller has no module of this name.
        if (cloudpickle := sys.modules.get("cloudpickle")) is not None:
            cloudpickle.register_pickle_by_value(module)
        return module
