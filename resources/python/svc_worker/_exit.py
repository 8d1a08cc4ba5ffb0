"""The ways in which a worker process ends.

A thread of its own hears signals: the first SIGTERM or SIGINT drains, the second ends the process. A Python signal
handler runs in the main thread only, and the main thread may be deep in a user's computation. The interpreter writes a
signal's number to the wake-up descriptor at once, whatever the main thread does.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from typing import NoReturn

# Seconds for the user's exit functions and non-daemon threads; source: ours, half of the usual 10 s grace time.
EXIT_TIME_S = 5.0

_STOPPING = (signal.SIGTERM, signal.SIGINT)


def leave(code: int) -> NoReturn:
    """End in order (exit functions run), but at the latest after EXIT_TIME_S: a user's thread may never end."""
    deadline = threading.Timer(EXIT_TIME_S, os._exit, [code])
    deadline.daemon = True
    deadline.start()
    sys.exit(code)


def fail(text: str, code: int = 1) -> NoReturn:
    """Write `text` raw, so that its last line is the last line of the log, and end."""
    os.write(2, (text.rstrip("\n") + "\n").encode("utf-8", "backslashreplace"))
    os._exit(code)


class SignalWatch:
    """Create in the main thread. `on_first` is called once, in the watching thread."""

    def __init__(self) -> None:
        # Until there is something to drain (the user's file may load a model for minutes), the first ends the process.
        self.on_first: Callable[[], object] = lambda: os._exit(0)
        self._receiver, self._sender = socket.socketpair()
        self._sender.setblocking(False)
        signal.set_wakeup_fd(self._sender.fileno(), warn_on_full_buffer=False)
        for number in _STOPPING:
            signal.signal(number, lambda *_: None)
        _leave_out_forked_children()
        threading.Thread(target=self._watch, name="signals", daemon=True).start()

    def _watch(self) -> None:
        heard = 0
        while numbers := self._receiver.recv(64):
            for number in numbers:
                if number not in _STOPPING:
                    continue
                heard += 1
                if heard > 1:
                    os._exit(128 + number)
                self.on_first()


def _leave_out_forked_children() -> None:
    """A forked child shares the descriptor: terminating it must neither be ignored nor drain the worker.

    The signals are held back over the fork, because one that comes before the child has its own settings would be lost.
    """
    if not hasattr(os, "register_at_fork"):  # Windows
        return
    forking = threading.local()

    def before() -> None:
        forking.mask = signal.pthread_sigmask(signal.SIG_BLOCK, _STOPPING)

    def restore() -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, forking.mask)

    def in_child() -> None:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        restore()

    os.register_at_fork(before=before, after_in_parent=restore, after_in_child=in_child)
