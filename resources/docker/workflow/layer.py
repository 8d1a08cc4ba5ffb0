"""Runs the command of one image layer so that every build gives the same files.

Used as SHELL by the Dockerfile of a workflow's worker image. After the command it compiles the layer's Python modules and
gives everything that changed the time SOURCE_DATE_EPOCH.
"""

from __future__ import annotations

import importlib.util
import os
import py_compile
import subprocess
import sys
import time
from collections.abc import Iterator

# The engine mounts /tmp for each layer, so nothing in it gets into the image.
START = "/tmp/.layer-started"
PIP_CONFIG = "/tmp/pip.conf"
# s; longer than a tick of the clock of file times, 10 ms at most.
TICK = 0.02

ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "PYTHONUNBUFFERED": "1",
    "PIP_CACHE_DIR": "/tmp/pip",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "PIP_NO_COMPILE": "1",
    "PIP_NO_INPUT": "1",
    "PIP_PROGRESS_BAR": "off",
    "PIP_ROOT_USER_ACTION": "ignore",
    "TMPDIR": "/tmp",
}


def changed_since(start_ns: int) -> Iterator[str]:
    device = os.lstat("/").st_dev
    folders = ["/"]
    while folders:
        folder = folders.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                if status.st_dev != device:
                    continue  # a mount
                if entry.is_dir(follow_symlinks=False):
                    folders.append(entry.path)
                if status.st_ctime_ns > start_ns:
                    yield entry.path


def with_compiled(modules: list[str]) -> Iterator[str]:
    for module in modules:
        compiled = importlib.util.cache_from_source(module)
        if os.path.exists(compiled):
            yield from (compiled, os.path.dirname(compiled), os.path.dirname(module))


def compile_modules() -> None:
    for path in sys.stdin.read().split("\0"):
        try:
            py_compile.compile(path, doraise=True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
        except (py_compile.PyCompileError, OSError, ValueError, RecursionError):
            continue  # for another version of Python


def run_layer(command: str) -> int:
    with open(START, "w"):
        pass
    start_ns = os.stat(START).st_mtime_ns
    time.sleep(TICK)
    os.umask(0o022)
    environment = {**os.environ, **ENVIRONMENT}
    if os.path.exists(PIP_CONFIG):
        environment["PIP_CONFIG_FILE"] = PIP_CONFIG
    code = subprocess.run(["/bin/sh", "-euc", command], env=environment).returncode
    if code != 0:
        return code if code > 0 else 128 - code
    changed = list(changed_since(start_ns))
    modules = sorted(path for path in changed if path.endswith(".py"))
    if modules:
        compiler = [sys.executable, os.path.abspath(__file__), "--compile"]
        subprocess.run(compiler, env=environment, input="\0".join(modules).encode(), check=True)
    epoch = int(environment.get("SOURCE_DATE_EPOCH", "0"))
    for path in {*changed, *with_compiled(modules)}:
        os.utime(path, (epoch, epoch), follow_symlinks=False)
    return 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--compile"]:
        compile_modules()
    else:
        sys.exit(run_layer(sys.argv[1]))
