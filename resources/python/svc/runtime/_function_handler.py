"""The handler of a queue-based endpoint that is a function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from svc.runtime._handler_kinds import Job, make_handler
from svc.runtime._job_input import Call, Signature, fields_of
from svc.runtime._load import body_of, load


def queue_function(module: str, function: str, *, endpoint: str) -> Callable[[Job], Any]:
    """A handler that calls `function` of `module` with the input's fields as arguments.

    Nothing of the user's is bound to a name of ours, so a function may be called anything. Raises what importing the
    module raises.
    """
    body = body_of(load(module, function, endpoint))
    signature = Signature(body, function)

    def prepare(job: Job) -> tuple[Callable[..., Any], Call]:
        return body, signature.call(fields_of(job))

    return make_handler(body, prepare)
