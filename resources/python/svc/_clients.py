"""What `Endpoint(id=...)`, and an endpoint called by its name, can be asked."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from svc._jobs import JobClient
    from svc._service import Service


class EndpointJob:
    """A submitted job. `status()`, `wait()` and `cancel()` bring it up to date; the rest reads what is known."""

    def __init__(self, record: dict[str, Any], client: JobClient) -> None:
        self._record = record
        self._client = client

    @property
    def id(self) -> str:
        """Its id."""
        return str(self._record.get("id", ""))

    @property
    def output(self) -> Any:
        """What it returned; None before its end."""
        return self._record.get("output")

    @property
    def error(self) -> str | None:
        """Why it failed."""
        error = self._record.get("error")
        return None if error is None else str(error)

    @property
    def done(self) -> bool:
        """Whether it has ended, well or not, as far as is known."""
        from svc._jobs import FINAL

        return self._record.get("status") in FINAL

    async def status(self) -> str:
        """Its status now."""
        self._record = await _in_thread(lambda: self._client.status(self.id))
        return str(self._record.get("status"))

    async def cancel(self) -> EndpointJob:
        """Cancel it."""
        self._record.update(await _in_thread(lambda: self._client.cancel(self.id)))
        return self

    async def wait(self, timeout: float | None = None) -> EndpointJob:
        """Wait for its end. Raises TimeoutError after `timeout` seconds; the job goes on then."""
        limit_s = float("inf") if timeout is None else timeout
        self._record = await _in_thread(lambda: self._client.follow(self._record, limit_s))
        if not self.done:
            raise TimeoutError(f"job {self.id} is still {self._record.get('status')} after {timeout:g} s; it goes on")
        return self

    def __repr__(self) -> str:
        return f"EndpointJob(id={self.id!r}, status={self._record.get('status')!r})"


class EndpointClient:
    """Requests to one endpoint; `find` blocks and returns the service and the endpoint's address."""

    def __init__(self, find: Callable[[bool], tuple[Service, str]]) -> None:
        self._find = find

    async def run(self, input: Any, webhook: str | None = None) -> EndpointJob:
        """Queue a job."""
        return await self._job(lambda client: client.run(_input_json(input), webhook))

    async def runsync(self, input: Any, timeout: float = 60.0) -> EndpointJob:
        """Queue a job and wait for its end; one that has not ended after `timeout` seconds is not `done`."""
        return await self._job(lambda client: client.runsync(_input_json(input), timeout))

    async def cancel(self, job_id: str) -> EndpointJob:
        """Cancel a job."""
        return await self._job(lambda client: client.cancel(job_id))

    async def request(
        self, method: str, path: str, data: Any, *, headers: Mapping[str, str] | None = None, timeout: float = 60.0
    ) -> Any:
        """A request to a load-balanced endpoint; `data` goes as JSON, bytes as they are."""

        def send() -> Any:
            from svc._requests import ask, value_of

            service, url = self._find(True)
            body = data if data is None or isinstance(data, bytes) else _input_json(data)
            answer = ask(
                service, method, url + path, body=body, headers=headers, timeout_s=timeout, may_repeat=method == "GET"
            )
            return value_of(answer)

        return await _in_thread(send)

    async def _job(self, work: Callable[[JobClient], dict[str, Any]]) -> EndpointJob:
        def run() -> EndpointJob:
            from svc._jobs import JobClient

            client = JobClient(*self._find(False))
            return EndpointJob(work(client), client)

        made: EndpointJob = await _in_thread(run)
        return made


class ClientCall(Coroutine[Any, Any, Any]):
    """A request that was not awaited yet: a coroutine that says what is wrong when it is used as a decorator."""

    def __init__(self, request: Coroutine[Any, Any, Any], text: str) -> None:
        self._request = request
        self._text = text

    def __await__(self) -> Generator[Any, None, Any]:
        return self._request.__await__()

    def send(self, value: Any) -> Any:
        """As of every coroutine."""
        return self._request.send(value)

    def throw(self, *error: Any) -> Any:
        """As of every coroutine."""
        return self._request.throw(*error)

    def close(self) -> None:
        """As of every coroutine."""
        self._request.close()

    def __call__(self, *_: Any) -> Any:
        self.close()
        raise TypeError(self._text)


async def _in_thread(work: Callable[[], Any]) -> Any:
    from svc._threads import in_thread

    return await in_thread(work)


def _input_json(value: Any) -> str:
    import json

    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise TypeError(f"the input cannot be sent as JSON: {error}") from None
