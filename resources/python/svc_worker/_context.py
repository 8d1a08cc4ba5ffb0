"""The runtime's API for handlers: the current job, and its progress."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from svc_worker._jobs import RunningJob


# A context variable and not a thread-local: several async jobs share one thread.
running_job: ContextVar[RunningJob | None] = ContextVar("svc_worker_running_job", default=None)


def current_job_id() -> str | None:
    """The id of the job this code runs for; None outside of a job."""
    job = running_job.get()
    return None if job is None else job.id


def progress(value: Any) -> None:
    """Show `value` as the output of the current job while it runs. Returns at once: another thread sends the value,
    before the result. Outside of a job (a handler called from a test or a script) it does nothing. A value that
    cannot be written as JSON is dropped, with a line in the log."""
    job = running_job.get()
    if job is not None:
        job.report_progress(value)
