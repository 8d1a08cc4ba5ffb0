"""Runs the public image worker's handler, unchanged, for inputs that come as lines of JSON; answers are lines too.

    python public_worker.py <folder with handler.py and src/network_volume.py> <host:port of a ComfyUI server>
"""

import contextlib
import json
import os
import sys

folder, host = sys.argv[1:3]
sys.argv = sys.argv[:1]
sys.path[:0] = [folder, os.path.join(folder, "src")]
answers = os.fdopen(os.dup(1), "w")

with contextlib.redirect_stdout(sys.stderr):
    import handler

    handler.COMFY_HOST = host
    for line in sys.stdin:
        try:
            answer = handler.handler({"id": "job", "input": json.loads(line)})
        except Exception as error:  # the library around it makes a failed job of it
            answer = {"raised": f"{type(error).__name__}: {error}"}
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
