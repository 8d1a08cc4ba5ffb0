"""A user's exception on stderr, without the frames that are not the user's."""

from __future__ import annotations

import asyncio
import concurrent.futures
import os
import sys
import traceback

_OURS = tuple(
    os.path.dirname(os.path.abspath(file)) + os.sep
    for file in (__file__, asyncio.__file__, concurrent.futures.__file__)
)


def print_traceback(error: BaseException, what: str) -> None:
    """`what` says where it happened."""
    told = traceback.TracebackException.from_exception(error)
    kept = [frame for frame in told.stack if not frame.filename.startswith(_OURS)]
    told.stack = traceback.StackSummary.from_list(kept or told.stack)
    print(f"{what}\n{''.join(told.format())}", file=sys.stderr, end="", flush=True)
