"""The channel by which the service names jobs to stop."""

from __future__ import annotations

import json
import time

from svc_worker._http import Answer, Connection
from svc_worker._jobs import RunningJobs
from svc_worker._protocol import Settings
from svc_worker._service_watch import Backoff, ServiceWatch

# Seconds a held request may be silent. source: the public SDK's time for a poll; the service holds for 20 s.
POLL_TIMEOUT_S = 90.0

# Shortest time between two empty answers, in seconds: a service that does not hold the request must not make us spin.
SHORTEST_HOLD_S = 1.0


def listen_for_stops(settings: Settings, jobs: RunningJobs, watch: ServiceWatch) -> None:
    """Cancel the jobs that are named, until the process ends; runs in a daemon thread, also while draining."""
    connection = Connection(settings, POLL_TIMEOUT_S)
    backoff = Backoff()
    while True:
        asked_at = time.monotonic()
        try:
            answer = connection.get(settings.stop())
        except OSError as error:
            watch.failed("job-stop", str(error) or type(error).__name__)
            time.sleep(backoff.next_s())
            continue
        watch.answered("job-stop")  # an error status too: the service is there
        if answer.status >= 300:
            time.sleep(backoff.next_s())
            continue
        backoff.reset()
        job_ids = _named_jobs(answer)
        for job_id in job_ids:
            jobs.cancel(job_id)
        if not job_ids:
            time.sleep(max(0.0, SHORTEST_HOLD_S - (time.monotonic() - asked_at)))


def _named_jobs(answer: Answer) -> list[str]:
    try:
        named = json.loads(answer.body).get("jobsToStop")
    except (ValueError, AttributeError):  # 204, or not the object we expect
        return []
    return [job_id for job_id in named if isinstance(job_id, str)] if isinstance(named, list) else []
