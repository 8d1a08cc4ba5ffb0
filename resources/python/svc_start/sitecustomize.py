"""Runs when the Python of a worker starts, before the user's program; Python finds it by PYTHONPATH.

Versions 1.7.12 to 1.10.0 of the public worker SDK keep the jobs of a worker in `.runpod_jobs.pkl` of the working folder.
Workers that share a folder would share that file, and it would outlive a worker that was killed: the next one takes its
jobs for its own and never asks for another. Here the file is led into a folder of this worker alone, which is deleted
with it. The program runs in its real folder, and what it reads and writes is there.

For a value that it cannot write as JSON, the SDK names only the type. This adds the place; the service reads both in the
log.

Version 2.0 of the package asks tasks at an address that it has fixed, of the platform. Where RUNPOD_API_BASE_URL leads it to
a service it asks there; `drydock platform` sets that for scripts, which find this file in the same way.

Where the service cannot end a worker's processes by a cgroup, the worker also becomes the parent of whatever it leaves
behind (SVC_ADOPT_ORPHANS), so that the service finds it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

_STATE_MODULE = "runpod.serverless.modules.worker_state"
_RESULT_MODULE = "runpod.serverless.modules.rp_http"
_TASKS_MODULE = "runpod.apps.tasks"
_STATE_FOLDER = os.environ.get("SVC_STATE_FOLDER")
# linux/prctl.h
_PR_SET_CHILD_SUBREAPER = 36


class _Finder:
    """Lets the others find modules of the SDK, and changes them when they have run."""

    @classmethod
    def find_spec(cls, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        change = _CHANGES.get(name)
        if change is None:
            return None
        for finder in sys.meta_path:
            spec = None if finder is cls else finder.find_spec(name, path, target)  # type: ignore[arg-type]
            if spec is not None and spec.loader is not None:
                _run_after(spec, change)
                return spec
        return None


def _run_after(spec: ModuleSpec, change: Callable[[ModuleType], None]) -> None:
    execute = spec.loader.exec_module  # type: ignore[union-attr]

    def execute_and_change(module: ModuleType) -> None:
        execute(module)
        change(module)

    spec.loader.exec_module = execute_and_change  # type: ignore[union-attr,method-assign]


def _lead_state_file(module: ModuleType) -> None:
    tracker = getattr(module, "JobsProgress", None)
    file = getattr(tracker, "_STATE_FILE", None)
    if _STATE_FOLDER is None or not isinstance(file, str):  # another version, which has no such file
        return
    os.makedirs(_STATE_FOLDER, mode=0o700, exist_ok=True)
    tracker._STATE_DIR = _STATE_FOLDER
    tracker._STATE_FILE = os.path.join(_STATE_FOLDER, os.path.basename(file))


def _name_place(module: ModuleType) -> None:
    json = getattr(module, "json", None)
    if not isinstance(json, ModuleType):
        return

    class Json:
        @staticmethod
        def dumps(value: object, **options: object) -> str:
            try:
                return json.dumps(value, **options)  # type: ignore[arg-type]
            except TypeError as error:
                place = _place_of(value, "")
                raise TypeError(str(error) if place is None else place) from None

        def __getattr__(self, name: str) -> object:
            return getattr(json, name)

    module.json = Json()  # type: ignore[attr-defined]


def _place_of(value: object, place: str) -> str | None:
    """The first part that JSON cannot hold. JSON has no circles: the encoder has refused them before."""
    if value is None or isinstance(value, (str, int, float)):
        return None
    if not isinstance(value, (dict, list, tuple)):
        return f"{place} is of type {type(value).__name__}"
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if not (key is None or isinstance(key, (str, int, float))):
            return f"{place or 'the result'} has a key of type {type(key).__name__}"
        found = _place_of(item, f"{place}[{key!r}]" if place else str(key))
        if found is not None:
            return found
    return None


def _lead_tasks(module: ModuleType) -> None:
    base = os.environ.get("RUNPOD_API_BASE_URL", "").rstrip("/")
    if base and callable(getattr(module, "_proxy_url", None)):
        module._proxy_url = lambda pod_id: f"{base}/tasks/{pod_id}"  # type: ignore[attr-defined]


_CHANGES = {_STATE_MODULE: _lead_state_file, _RESULT_MODULE: _name_place, _TASKS_MODULE: _lead_tasks}


def _adopt_orphans() -> None:
    import ctypes  # slow to import, and only here

    try:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    except (OSError, AttributeError):
        pass  # not Linux: what was left behind is found by its environment alone


def _run_own_of_user() -> None:
    """Python runs one sitecustomize, the first that it finds. This is not to be instead of the user's."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != here]
    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is None or spec.loader is None:
        return
    from importlib.util import module_from_spec

    module = module_from_spec(spec)
    sys.modules["sitecustomize"] = module
    spec.loader.exec_module(module)


def _write_whole_lines() -> None:
    """With PYTHONUNBUFFERED, `print` writes a text and its line end apart, and the lines of threads mix."""
    for stream in (sys.stdout, sys.stderr):
        if getattr(stream, "write_through", False):
            stream.reconfigure(line_buffering=True, write_through=False)  # type: ignore[union-attr]


_write_whole_lines()
if _STATE_FOLDER is not None or os.environ.get("RUNPOD_API_BASE_URL"):
    sys.meta_path.insert(0, _Finder)  # type: ignore[arg-type]
if os.environ.get("SVC_ADOPT_ORPHANS") and os.getsid(0) == os.getpid():
    _adopt_orphans()
_run_own_of_user()
