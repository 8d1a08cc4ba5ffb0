"""Reasons why a job fails, with the place in the graph."""

from __future__ import annotations

from typing import Any


class Failure(Exception):
    """The job fails with this text. `facts`: details, node, class, input, reason, traceback, as far as known."""

    def __init__(self, message: str, **facts: Any) -> None:
        super().__init__(message)
        self.message = message
        self.facts = {name: value for name, value in facts.items() if value is not None}


class Cancelled(Exception):
    """The job was cancelled; nobody waits for its result."""


def network_reason(error: BaseException) -> str:
    """Why a request failed, in few words."""
    if isinstance(error, ConnectionRefusedError):
        return "nothing listens there"
    if isinstance(error, TimeoutError):
        return "it did not answer in time"
    if isinstance(error, (ConnectionResetError, BrokenPipeError)):
        return "the connection was closed"
    return str(error) or type(error).__name__
