"""Live mode: from a request with its source to the call of the function in it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

from svc_runtime._handles import body_of, find_handle, init_of
from svc_runtime._hooks import HookError, run_init, run_prestart_hooks
from svc_runtime._import_hints import import_hint
from svc_runtime._live_folder import LiveFolder
from svc_runtime._live_sources import LiveSources
from svc_runtime._packages import PackageError, Packages
from svc_runtime._requests import BadRequestError, FunctionRequest
from svc_runtime._start import StartError
from svc_runtime._system_packages import missing_hint
from svc_worker._errors import trimmed_traceback


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
