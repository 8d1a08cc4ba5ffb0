"""Errors of a call, in addition to ConnectionError (no answer) and TimeoutError (no end in time)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any


class NoContextError(RuntimeError):
    """A decorated function was called where no app and environment are known. source: docs/spec/app-deploy.md, 3."""

    def __init__(self, endpoint: str) -> None:
        super().__init__(
            f'there is no context for the endpoint "{endpoint}": nothing says in which app and environment it runs. '
            "Either use local development mode (run `drydock deploy --preview` in the project's folder, and this "
            "script in the same folder), or set SVC_APP and SVC_ENV to the app and environment that it was deployed to"
        )


class NoKeyError(RuntimeError):
    """No key for the service was found."""

    def __init__(self, base_url: str, *missing: str) -> None:
        """`missing`: the variables that are not set."""
        super().__init__(
            f"there is no key for the service at {base_url}: set {' and '.join(missing)} in the environment "
            "or in a .env file of the project, or run `drydock login`"
        )


class NotDeployedError(RuntimeError):
    """The service knows no such endpoint in this app and environment."""


class ServiceError(RuntimeError):
    """The service or an endpoint answered with an error: the HTTP status, and the service's own word for it, if any."""

    def __init__(self, status: int, text: str, code: str | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.code = code


class RemoteError(RuntimeError):
    """A function failed on its worker; the text ends with the worker's traceback, if there is one.

    `error_type` and `error_message` are those of the exception there, `traceback` its text, `status` that of the job.
    """

    def __init__(self, endpoint: str, record: Mapping[str, Any]) -> None:
        self.endpoint = endpoint
        self.job_id: str | None = record.get("id")
        self.status = str(record.get("status"))
        told = _parse(record.get("error"))
        self.error_type = told.get("error_type")
        self.error_message = told.get("error_message") or f"the job ended as {self.status}"
        self.traceback = told.get("error_traceback")
        where = f'endpoint "{endpoint}", job {self.job_id}: {self.status}: {self.error_message}'
        super().__init__(f"{where}\n\nTraceback on the worker:\n{self.traceback}" if self.traceback else where)


def _parse(error: Any) -> dict[str, str]:
    """The parts of a job's error: JSON text for an exception that nobody caught, else the text itself."""
    if not isinstance(error, str):
        return {} if error is None else {"error_message": json.dumps(error)}
    try:
        parsed = json.loads(error)
    except ValueError:
        parsed = None
    if isinstance(parsed, dict) and "error_message" in parsed:
        return {name: str(value) for name, value in parsed.items()}
    return {"error_message": error}
