"""Requests to the service and its endpoints: key, JSON, errors in words."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from svc._errors import ServiceError
from svc._http import Answer, Http
from svc._service import Service

http = Http()

# Seconds that an answer may take beyond what was asked for. source: ours; above the 3 s of docs/spec/job-api.md, 1.
SLACK_S = 15.0


def ask_json(service: Service, method: str, url: str, **options: Any) -> Any:
    """The parsed answer; options and errors as those of `ask`."""
    answer = ask(service, method, url, **options)
    try:
        return json.loads(answer.body)
    except ValueError:
        raise ServiceError(answer.status, f"{url} answered with something that is not JSON") from None


def ask(
    service: Service,
    method: str,
    url: str,
    *,
    body: str | bytes | None = None,
    headers: Mapping[str, str] | None = None,
    timeout_s: float = SLACK_S,
    may_repeat: bool = False,
) -> Answer:
    """An answer with a good status (below 400).

    Raises ServiceError when it is an error, ConnectionError or TimeoutError without one.
    """
    sent = {"Authorization": f"Bearer {service.key}", "User-Agent": "svc/0.1.0", "Accept": "application/json, */*"}
    if body is not None:
        sent["Content-Type"] = "application/json" if isinstance(body, str) else "application/octet-stream"
    data = body.encode() if isinstance(body, str) else body
    answer = http.request(
        method, url, headers={**sent, **(headers or {})}, body=data, timeout_s=timeout_s, may_repeat=may_repeat
    )
    if answer.status >= 400:
        words, code = _words(answer)
        raise ServiceError(answer.status, f"{method} {url} was answered with {answer.status}: {words}", code)
    return answer


def value_of(answer: Answer) -> Any:
    """The body of an answer: JSON as a value, lines of JSON as a list, text as str, anything else as bytes."""
    kind = answer.headers.get("content-type", "").split(";")[0].strip().lower()
    if not answer.body and kind != "text/plain":
        return None
    if kind == "application/json" or kind.endswith("+json"):
        return json.loads(answer.body)
    if kind == "application/x-ndjson":
        return [json.loads(line) for line in answer.body.splitlines() if line.strip()]
    return answer.body.decode("utf-8", "replace") if kind.startswith("text/") else answer.body


def _words(answer: Answer) -> tuple[str, str | None]:
    """The message and the code of an error answer."""
    text = answer.body.decode("utf-8", "replace").strip()
    try:
        parsed = json.loads(text)
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        return text[:500] or "no text", None
    said, code = parsed.get("error") or parsed.get("detail") or parsed, parsed.get("code")
    return said if isinstance(said, str) else json.dumps(said), code if isinstance(code, str) else None
