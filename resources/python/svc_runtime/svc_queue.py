"""The handler file of a queue resource: svc_worker loads it. The environment names the resource; see the README.

Its name is one that no app has: svc_worker imports it as a module of its own name. It does not spell the package's name
in small letters either, for which svc_worker would import the package before the app's folder is on sys.path.
"""

from __future__ import annotations

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))
# svc_worker and Python put this folder on sys.path, where the user's modules are looked for; only its parent belongs
# there.
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != _HERE]
if os.path.dirname(_HERE) not in sys.path:
    sys.path.append(os.path.dirname(_HERE))

from svc_runtime._queue import queue_program  # noqa: E402
from svc_runtime._start import or_end  # noqa: E402

with or_end():
    handler, config = queue_program(os.environ)
