"""Worker runtime: takes jobs from the service, calls the user's handler, posts what it returns."""

from svc_worker._context import current_job_id, progress
from svc_worker._version import __version__

__all__ = ["__version__", "current_job_id", "progress"]
