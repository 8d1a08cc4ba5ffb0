"""The program of an api resource: it listens on PORT, deployed or live; see the README."""

from __future__ import annotations

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
# Python puts this folder on sys.path, where the user's modules are looked for; only its parent belongs there.
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _HERE]
if os.path.dirname(_HERE) not in sys.path:
    sys.path.append(os.path.dirname(_HERE))

from svc_runtime._api import serve_api  # noqa: E402
from svc_runtime._start import or_end  # noqa: E402

# The guard matters: a child process that the user's code spawns imports this file again.
if __name__ == "__main__":
    with or_end():
        serve_api(os.environ)
