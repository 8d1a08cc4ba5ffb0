"""Signs of life, so that the service keeps this worker's leases."""

from __future__ import annotations

import contextlib
import time

from svc_worker._http import Connection
from svc_worker._jobs import RunningJobs
from svc_worker._protocol import Settings


def keep_pinging(settings: Settings, jobs: RunningJobs) -> None:
    """Ping at every interval until the process ends; runs in a daemon thread beside handlers that compute."""
    connection = Connection(settings, timeout_s=settings.ping_interval_s * 2)
    while True:
        time.sleep(settings.ping_interval_s)
        # A lost ping is made good by the next one; that the service is away is logged by the other channels.
        with contextlib.suppress(OSError):
            connection.get(settings.ping(jobs.ids()))
