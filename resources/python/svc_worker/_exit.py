"""The ways in which a worker process ends."""

from __future__ import annotations

import os
import sys
import threading
from typing import NoReturn

# Seconds for the user's exit functions and non-daemon threads; source: ours, half of the usual 10 s grace time.
EXIT_TIME_S = 5.0


def leave(code: int) -> NoReturn:
    """End in order (exit functions run), but at the latest after EXIT_TIME_S: a user's thread may never end."""
    deadline = threading.Timer(EXIT_TIME_S, os._exit, [code])
    deadline.daemon = True
    deadline.start()
    sys.exit(code)


def leave_now(code: int) -> NoReturn:
    """End at once, whatever is running. Callable from any thread."""
    os._exit(code)


def fail(text: str, code: int = 1) -> NoReturn:
    """Write `text` raw, so that its last line is the last line of the log, and end."""
    os.write(2, (text.rstrip("\n") + "\n").encode("utf-8", "backslashreplace"))
    leave_now(code)
