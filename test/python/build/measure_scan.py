"""How long a scan takes: python3 test/python/build/measure_scan.py [files]. Prints ms of the whole command."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from scanning import RUNTIME

ENDPOINTS = 40
FOLDERS = 50
RUNS = 5

ENDPOINT = """from svc import Endpoint
{imported}
@Endpoint(name="w{0}", cpu="cpu3c-1-2", workers=(0, 3))
async def work_{0}(x: int):
    from pkg_{1}.worker_{1} import work_{1}
    return await work_{1}(x)
"""

PLAIN = "".join(
    f"\ndef function_{number}(a, b=2, *, c=None):\n    '''Doc.'''\n    total = a + b\n    for item in range(total):\n"
    f"        total += item * {number}\n    return total\n"
    for number in range(12)
)


def write_project(root: Path, files: int, chained: bool) -> None:
    """`chained`: each file imports the next, so that all of them must be parsed; else none is needed by an endpoint."""
    for number in range(files):
        folder = root / f"pkg_{number % FOLDERS}"
        folder.mkdir(exist_ok=True)
        following = number + 1
        if number < ENDPOINTS:
            imported = f"from pkg_{ENDPOINTS % FOLDERS}.helper_{ENDPOINTS} import function_1" if chained else ""
            text = ENDPOINT.format(number, following % ENDPOINTS, imported=imported)
            (folder / f"worker_{number}.py").write_text(text + PLAIN)
        else:
            import_next = f"from pkg_{following % FOLDERS} import helper_{following}\n" if chained else ""
            last = following == files
            (folder / f"helper_{number}.py").write_text(("" if last else import_next) + PLAIN)


def measure(files: int, chained: bool) -> list[int]:
    """Each of several runs, in ms, sorted."""
    with tempfile.TemporaryDirectory() as folder:
        write_project(Path(folder), files, chained)
        times = []
        for _ in range(RUNS):
            started = time.monotonic()
            environment = {**os.environ, "PYTHONPATH": str(RUNTIME)}
            command = [sys.executable, "-m", "svc_build", "scan", folder]
            subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
            times.append(round((time.monotonic() - started) * 1000))
        return sorted(times)


if __name__ == "__main__":
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print(f"{count} files, no file needs another: {measure(count, chained=False)} ms")
    print(f"{count} files, endpoints need all of them: {measure(count, chained=True)} ms")
