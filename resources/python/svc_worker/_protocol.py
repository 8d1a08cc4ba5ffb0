"""A worker's settings, which the service passes in its environment, and the addresses made from them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

from svc_worker._version import __version__

# Sent as `runpod_version` in pings and errors; tells our runtime from the public SDK.
RUNTIME_VERSION = f"svc-{__version__}"

# Under 1000 ms the public SDK spins; the same floor here keeps one rule. source: docs/spec/worker-protocol.md, 1.
SHORTEST_PING_INTERVAL_MS = 1000

# A worker without its service is an orphan. source: ours; the service's own restart takes seconds.
AWAY_LIMIT_MS = 600_000


class SettingsError(Exception):
    """The environment does not describe a service; the text is the last line of the log."""


@dataclass(frozen=True)
class Settings:
    """One worker's environment, read once. Targets are path and query, as they go into a request line."""

    host: str
    port: int
    authority: str
    api_key: str
    worker_id: str
    hostname: str
    concurrency: int
    ping_interval_s: float
    away_limit_s: float
    take_target: str
    done_target: str
    stream_target: str
    ping_target: str

    def take(self, *, free: int, busy: bool) -> str:
        """Address that gives one job, or up to `free` jobs when there is room for more than one."""
        in_progress = f"&job_in_progress={int(busy)}"
        if free == 1:
            return self.take_target + in_progress
        batch = self.take_target.replace("/job-take/", "/job-take-batch/")
        return f"{batch}&batch_size={free}{in_progress}"

    def stop(self) -> str:
        """Address of the channel that names jobs to stop."""
        return self.take_target.replace("/job-take/", "/job-stop/")

    def ping(self, job_ids: Iterable[str]) -> str:
        """Address of pings; `job_id` is left out when idle."""
        ids = ",".join(quote(job_id, safe="") for job_id in job_ids)
        return f"{self.ping_target}{f'&job_id={ids}' if ids else ''}&runpod_version={RUNTIME_VERSION}"

    def done(self, job_id: str, *, is_stream: bool = False, take: int = 0) -> str:
        """Address of a job's result and of its progress; `take`: jobs that the answer may bring."""
        more = f"&take={take}" if take else ""
        return f"{_with_job(self.done_target, job_id)}&isStream={'true' if is_stream else 'false'}{more}"

    def stream(self, job_id: str) -> str:
        return f"{_with_job(self.stream_target, job_id)}&isStream=false"


def read_settings(env: Mapping[str, str]) -> Settings:
    """Read the environment. Raises SettingsError naming the variable that is missing or wrong."""
    worker_id = _required(env, "RUNPOD_POD_ID")
    take = _template(env, "RUNPOD_WEBHOOK_GET_JOB").replace("$ID", worker_id)
    if "/job-take/" not in take:
        raise SettingsError("svc_worker: RUNPOD_WEBHOOK_GET_JOB must hold /job-take/: other addresses are made from it")
    service = urlsplit(take)
    if service.scheme != "http" or not service.hostname:
        raise SettingsError(f"svc_worker: RUNPOD_WEBHOOK_GET_JOB must be an http:// address, not {take}")

    def target(name: str) -> str:
        url = _template(env, name).replace("$RUNPOD_POD_ID", worker_id)
        if urlsplit(url).netloc != service.netloc:
            raise SettingsError(f"svc_worker: {name} must be at the same host and port as RUNPOD_WEBHOOK_GET_JOB")
        return _target(url)

    return Settings(
        host=service.hostname,
        port=service.port or 80,
        authority=service.netloc,
        api_key=env.get("RUNPOD_AI_API_KEY", ""),
        worker_id=worker_id,
        hostname=env.get("RUNPOD_POD_HOSTNAME", "unknown"),
        concurrency=_number(env, "SVC_CONCURRENCY", 1, at_least=1),
        ping_interval_s=max(_number(env, "RUNPOD_PING_INTERVAL", 3000), SHORTEST_PING_INTERVAL_MS) / 1000,
        away_limit_s=_number(env, "SVC_AWAY_LIMIT_MS", AWAY_LIMIT_MS) / 1000,
        take_target=_target(take),
        done_target=target("RUNPOD_WEBHOOK_POST_OUTPUT"),
        stream_target=target("RUNPOD_WEBHOOK_POST_STREAM"),
        ping_target=target("RUNPOD_WEBHOOK_PING"),
    )


def _required(env: Mapping[str, str], name: str) -> str:
    value = env.get(name)
    if not value:
        raise SettingsError(f"svc_worker: {name} is not set; a worker is started by the service, not by hand")
    return value


def _template(env: Mapping[str, str], name: str) -> str:
    url = _required(env, name)
    if "?" not in url:
        raise SettingsError(f"svc_worker: {name} must hold a '?': parameters are appended to it with '&'")
    return url


def _target(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}"


def _with_job(template: str, job_id: str) -> str:
    return template.replace("$ID", quote(job_id, safe=""))


def _number(env: Mapping[str, str], name: str, default: int, at_least: int = 0) -> int:
    text = env.get(name) or str(default)
    if not text.isascii() or not text.isdigit() or int(text) < at_least:
        raise SettingsError(f"svc_worker: {name} must be a whole number of at least {at_least}, not {text!r}")
    return int(text)
