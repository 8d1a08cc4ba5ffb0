"""The package runpod 2.0, which the platform's images of the runtime bring along and live sources import.

Where a worker's Python lacks it, it is installed once for all workers of a service, in a folder of its own.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping

from svc_runtime._packages import INSTALL

_REQUIREMENT = "runpod>=2.0.0rc2"
# Some forty packages. source: ours, ten times what it takes on two busy cores.
_LIMIT_S = 300


def provide_sdk(env: Mapping[str, str]) -> None:
    """Makes it importable. Where it cannot be installed the log says why; sources that do not import it run all the same."""
    if _is_there():
        return
    root = env.get("SVC_PACKAGES_FOLDER") or tempfile.gettempdir()
    folder = os.path.join(root, f"runpod-2-python{sys.version_info.major}.{sys.version_info.minor}")
    os.makedirs(root, mode=0o700, exist_ok=True)
    with _lock(f"{folder}.lock"):
        if not os.path.isdir(folder) and not _install(folder):
            return
    sys.path.append(folder)
    importlib.invalidate_caches()
    _prefer_pickles_of(folder)


def _prefer_pickles_of(folder: str) -> None:
    """Arguments were pickled by the package's cloudpickle; an older one of this Python cannot read them."""
    sys.path.insert(0, folder)
    try:
        importlib.import_module("cloudpickle")
    except ImportError:
        pass  # then plain pickles are read alone
    finally:
        sys.path.remove(folder)


def _is_there() -> bool:
    try:
        return importlib.util.find_spec("runpod.apps") is not None
    except ModuleNotFoundError:
        return False


def _install(folder: str) -> bool:
    print(f"installing the package {_REQUIREMENT}, once for all workers", flush=True)
    begun = tempfile.mkdtemp(prefix=".runpod-", dir=os.path.dirname(folder))
    command = [sys.executable, *INSTALL, "--target", begun, _REQUIREMENT]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_LIMIT_S)
        if done.returncode == 0:
            os.rename(begun, folder)
            return True
        reason = " ".join((done.stderr.strip() or done.stdout.strip()).splitlines()[-1:])
    except subprocess.TimeoutExpired:
        reason = f"it took longer than {_LIMIT_S} s."
    finally:
        shutil.rmtree(begun, ignore_errors=True)
    print(
        f"The package {_REQUIREMENT} is missing and could not be installed: {reason} "
        f"Install it yourself: {sys.executable} -m pip install '{_REQUIREMENT}'",
        flush=True,
    )
    return False


@contextlib.contextmanager
def _lock(path: str) -> Iterator[None]:
    """One worker installs, the others wait; its end, however it comes, lets the next one go on."""
    try:
        import fcntl
    except ImportError:  # not on POSIX: each installs for itself, and the first one stays
        yield
        return
    with open(path, "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
