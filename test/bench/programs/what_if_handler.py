"""A handler that waits and computes nothing: its cold start, its jobs and their failures are as long as one says."""

import os
import time
from pathlib import Path

time.sleep(float(os.environ["COLD_START_S"]))


def handler(job):
    """Waits `ms`; ends its worker in the first `crashes` tries, or fails."""
    given = job["input"]
    time.sleep(given["ms"] / 1000)
    for crash in range(given.get("crashes", 0)):
        mark = Path(os.environ["MARKS"], f"{job['id']}-{crash}")
        if not mark.exists():
            mark.touch()
            os._exit(1)
    if given.get("fails"):
        raise ValueError("as it was told")
    return {}
