"""The handler file of a task: svc_worker loads it, and each job is one call, on a worker of its own; see the README."""

from __future__ import annotations

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
# svc_worker and Python put this folder on sys.path, where the user's modules are looked for; only its parent belongs
# there.
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _HERE]
if os.path.dirname(_HERE) not in sys.path:
    sys.path.append(os.path.dirname(_HERE))

from svc_runtime._live_handler import task_program  # noqa: E402
from svc_runtime._start import or_end  # noqa: E402

with or_end():
    handler, config = task_program(os.environ)
