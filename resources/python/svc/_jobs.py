"""Jobs of queue-based endpoints over HTTP; every function here blocks. source: docs/spec/job-api.md, 1."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from svc._errors import RemoteError
from svc._requests import SLACK_S, ask_json
from svc._service import Service

FINAL = frozenset({"COMPLETED", "FAILED", "CANCELLED", "TIMED_OUT"})

# Limits of `wait`, and the longest that one request is held here. source: docs/spec/job-api.md, 1.
_SHORTEST_WAIT_MS = 1000
_LONGEST_WAIT_MS = 90_000

Record = dict[str, Any]


class JobClient:
    """The operations of one endpoint. `url` is its address, without a slash at its end."""

    def __init__(self, service: Service, url: str) -> None:
        self._service = service
        self._url = url

    def run(self, input_json: str, webhook: str | None = None) -> Record:
        """Queue a job; returns its id and status at once."""
        extra = f',"webhook":{json.dumps(webhook)}' if webhook is not None else ""
        return self._submit("run", f'{{"input":{input_json}{extra}}}', SLACK_S)

    def runsync(self, input_json: str, timeout_s: float) -> Record:
        """Queue a job and follow it: its record, which is not final when the time was over first."""
        deadline = time.monotonic() + timeout_s
        wait_ms = _wait_ms(timeout_s)
        record = self._submit(f"runsync?wait={wait_ms}", f'{{"input":{input_json}}}', wait_ms / 1000 + SLACK_S)
        return self.follow(record, deadline - time.monotonic())

    def follow(self, record: Record, timeout_s: float) -> Record:
        """The final record of a job, or what is known of it when the time is over."""
        deadline = time.monotonic() + timeout_s
        while record.get("status") not in FINAL and (left_s := deadline - time.monotonic()) > 0:
            record = self._get(f"status-sync/{_id(record)}?wait={_wait_ms(left_s)}", _wait_ms(left_s) / 1000 + SLACK_S)
        return record

    def status(self, job_id: str) -> Record:
        return self._get(f"status/{quote(job_id, safe='')}", SLACK_S)

    def cancel(self, job_id: str) -> Record:
        """Cancel a job: its id and status. Repeating it is safe: a second cancel finds an ended job and is refused."""
        return self._object("POST", f"cancel/{quote(job_id, safe='')}", SLACK_S, body="{}", may_repeat=False)

    def stream(self, record: Record, endpoint: str) -> Iterator[Any]:
        """The values that the job yields, until its end. Raises RemoteError when the job did not complete."""
        while True:
            read = self._get(f"stream/{_id(record)}?format=object", SLACK_S)
            yield from (chunk.get("output") for chunk in read["stream"])
            if not read["stream"] and read["status"] in FINAL:
                break
        if read["status"] != "COMPLETED":
            raise RemoteError(endpoint, self.status(record["id"]))

    def _submit(self, operation: str, body: str, timeout_s: float) -> Record:
        # With a key of its own a request may be repeated: the second one finds the first one's job.
        headers = {"Idempotency-Key": uuid.uuid4().hex}
        return self._object("POST", operation, timeout_s, body=body, headers=headers, may_repeat=True)

    def _get(self, operation: str, timeout_s: float) -> Record:
        return self._object("GET", operation, timeout_s, may_repeat=True)

    def _object(self, method: str, operation: str, timeout_s: float, **request: Any) -> Record:
        answer = ask_json(self._service, method, f"{self._url}/{operation}", timeout_s=timeout_s, **request)
        return answer if isinstance(answer, dict) else {"output": answer}


def output_of(record: Record, endpoint: str, timeout_s: float) -> Any:
    """The output of an ended job. Raises RemoteError when it did not end well, TimeoutError when it has not ended."""
    status = record.get("status")
    if status == "COMPLETED":
        return record.get("output")
    if status not in FINAL:
        job_id = record.get("id")
        raise TimeoutError(f'endpoint "{endpoint}": job {job_id} is still {status} after {timeout_s:g} s; it goes on')
    raise RemoteError(endpoint, record)


def _wait_ms(seconds: float) -> int:
    return int(min(max(seconds * 1000, _SHORTEST_WAIT_MS), _LONGEST_WAIT_MS))


def _id(record: Record) -> str:
    return quote(str(record["id"]), safe="")
