"""Jobs of an endpoint, and requests to it, that a client has sent."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Generator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from svc._jobs import JobClient


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
        """The output; None before the job has ended."""
        return self._record.get("output")

    @property
    def error(self) -> str | None:
        """Why it failed."""
        error = self._record.get("error")
        return None if error is None else str(error)

    @property
    def done(self) -> bool:
        """Whether it had ended at the last update."""
        from svc._jobs import FINAL

        return self._record.get("status") in FINAL

    async def status(self) -> str:
        """Its status now."""
        self._record = await in_thread(lambda: self._client.status(self.id))
        return str(self._record.get("status"))

    async def cancel(self) -> EndpointJob:
        """Cancel it."""
        self._record.update(await in_thread(lambda: self._client.cancel(self.id)))
        return self

    async def wait(self, timeout: float | None = None) -> EndpointJob:
        """Wait for its end. Raises TimeoutError after `timeout` seconds; the job goes on then."""
        limit_s = float("inf") if timeout is None else timeout
        self._record = await in_thread(lambda: self._client.follow(self._record, limit_s))
        if not self.done:
            raise TimeoutError(f"job {self.id} is still {self._record.get('status')} after {timeout:g} s; it goes on")
        return self

    def __repr__(self) -> str:
        return f"EndpointJob(id={self.id!r}, status={self._record.get('status')!r})"


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


async def in_thread(work: Callable[[], Any]) -> Any:
    """Runs `work`; asyncio is imported late."""
    from svc import _threads

    return await _threads.in_thread(work)


def input_json(value: Any) -> str:
    """Raises TypeError for an input that JSON cannot hold."""
    import json

    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise TypeError(f"the input cannot be sent as JSON: {error}") from None
