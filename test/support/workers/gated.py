"""A handler that a test leads: it goes on when the files exist that its input names. `{pid}` and `{worker}` in a name
are the number and the id of its worker. A file with `.waiting` after the name says that it has come to a gate.

{"n": 7, "print": ["a"], "gates": ["/tmp/x/{pid}"], "after": ["b"]} prints a, waits for the gate, prints b and returns.
"""

import contextlib
import os
import time

LOOK_EVERY_S = 0.005


def handler(job):
    wants = job["input"]
    for line in wants.get("print", []):
        print(line, flush=True)
    for gate in wants.get("gates", []):
        path = gate.replace("{pid}", str(os.getpid())).replace("{worker}", os.environ["RUNPOD_POD_ID"])
        # The folder is read-only in a container.
        with contextlib.suppress(OSError):
            open(f"{path}.waiting", "w").close()
        while not os.path.exists(path):
            time.sleep(LOOK_EVERY_S)
    for line in wants.get("after", []):
        print(line, flush=True)
    output = {"n": wants.get("n"), "pid": os.getpid(), "worker": os.environ["RUNPOD_POD_ID"]}
    return {**output, "refresh_worker": True} if wants.get("refresh") else output
