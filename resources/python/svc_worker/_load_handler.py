"""Imports the user's file and finds in it what to run."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from svc_worker._errors import trimmed_traceback


class HandlerFileError(Exception):
    """The file cannot be used; the text is the end of the log."""


@dataclass(frozen=True)
class Program:
    """The declarations of a handler file. `concurrency` None: the file does not say."""

    handler: Callable[[dict[str, Any]], Any]
    return_aggregate_stream: bool = False
    refresh_worker: bool = False
    concurrency: int | None = None
    concurrency_modifier: Callable[[int], int] | None = None


def load_program(path: str) -> Program:
    """Import `path`, its folder first on sys.path. Raises HandlerFileError."""
    path = os.path.abspath(path)
    if not os.path.isfile(path):
        raise HandlerFileError(f"svc_worker: {path} does not exist or is not a file")
    started: dict[str, Any] = {}
    try:
        module = _import(path, started)
    except BaseException as error:  # also SystemExit: no user file may end the worker without a word
        raise HandlerFileError(trimmed_traceback(error)) from error
    config = getattr(module, "config", None)
    options = {**(config if isinstance(config, dict) else {}), **started}
    handler = options.get("handler", getattr(module, "handler", None))
    if not callable(handler):
        raise HandlerFileError(f'svc_worker: {path} defines no function named "handler"')
    concurrency = options.get("concurrency")
    if concurrency is not None and (type(concurrency) is not int or concurrency < 1):
        raise HandlerFileError(f'svc_worker: {path}: config["concurrency"] must be an int of at least 1')
    return Program(
        handler=handler,
        return_aggregate_stream=bool(options.get("return_aggregate_stream")),
        refresh_worker=bool(options.get("refresh_worker")),
        concurrency=concurrency,
        concurrency_modifier=options.get("concurrency_modifier"),
    )


def _import(path: str, started: dict[str, Any]) -> ModuleType:
    sys.argv = [path]
    sys.path.insert(0, os.path.dirname(path))
    _catch_public_start(path, started)
    name = _module_name(path)
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise HandlerFileError(f"svc_worker: {path} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # before it runs, so that its own modules can import it
    spec.loader.exec_module(module)
    return module


def _module_name(path: str) -> str:
    """The name by which its folder has it, so that `import` in other files and in child processes finds the same file.

    No other: with one name for all, a module of the user's that has this name would be hidden by the handler file.
    svc_build gives a handler file a name that nothing in the project has.
    """
    name = os.path.splitext(os.path.basename(path))[0]
    is_taken = name in sys.modules or name in sys.stdlib_module_names or "." in name
    return f"__svc_handler_{name.replace('.', '_')}__" if is_taken else name


def _catch_public_start(path: str, started: dict[str, Any]) -> None:
    """Let `runpod.serverless.start({...})` in the user's file hand its options to us instead of starting a second loop.

    Only for a file that mentions the package, because importing it takes a second or more. When it is not installed
    nothing is done: the user's own import line then fails and is named in the traceback.
    """
    with open(path, "rb") as file:
        mentioned = b"runpod" in file.read()
    if mentioned and importlib.util.find_spec("runpod") is not None:
        public = importlib.import_module("runpod.serverless")
        public.start = started.update  # type: ignore[attr-defined]  # the package has no types here
