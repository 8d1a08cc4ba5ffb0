"""`python3 -m svc_worker /path/handler.py`: one worker process, started by the service."""

from __future__ import annotations

import os
import sys

from svc_worker import _exit, _logs
from svc_worker._exit import SignalWatch
from svc_worker._load_handler import HandlerFileError, load_program
from svc_worker._protocol import SettingsError, read_settings
from svc_worker._worker import Worker


def main(arguments: list[str]) -> None:
    """Import the user's file, then work until told to stop. Ends the process, never returns."""
    if len(arguments) != 1:
        _exit.fail("svc_worker: usage: python3 -m svc_worker /path/to/handler.py", code=2)
    signals = SignalWatch()
    try:
        settings = read_settings(os.environ)
        _logs.install()
        program = load_program(arguments[0])
    except (SettingsError, HandlerFileError) as error:
        _exit.fail(str(error))
    _logs.adopt_user_logging()
    worker = Worker(settings, program)
    signals.on_first = worker.drain
    worker.run()
    _exit.leave(0)


# The guard matters: a child process that the user's code spawns imports this file again.
if __name__ == "__main__":
    main(sys.argv[1:])
