"""Commands of the container that keeps the files: python3 -m svc_files COMMAND FOLDER [TREE ...].

wait       does nothing until it is ended: the container's own program
receive    takes a tree (see _session.py)
give       gives a tree to another store that receives (see _giving.py)
trees      prints the trees that are there, as a line of JSON
remove     removes these trees, and prints how many bytes that freed
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import time
from pathlib import Path

from svc_files._giving import Giving
from svc_files._session import Session
from svc_files._store import Store

# How long an unused container stays, and how often it checks, s. A start takes about one. Source: ours.
_UNUSED_S = 600
_LOOK_S = 30


def _main(command: str, folder: str, trees: list[str]) -> int:
    os.umask(0o022)
    store = Store(Path(folder))
    if command == "wait":
        _wait(store)
        return 0
    if command == "give":
        store.touch()
        with contextlib.suppress(EOFError, BrokenPipeError):
            return 0 if Giving(store, sys.stdin.buffer, sys.stdout.buffer).run(trees[0]) else 1
        return 1
    with store.alone():
        if command == "receive":
            # If the other side has gone, nobody can read the error.
            with contextlib.suppress(EOFError, BrokenPipeError):
                return 0 if Session(store, sys.stdin.buffer, sys.stdout.buffer).run() else 1
            return 1
        if command == "trees":
            print(json.dumps({"now": int(time.time() * 1000), "trees": store.trees()}))
            return 0
        if command == "remove":
            print(json.dumps({"freedBytes": store.remove(trees)}))
            return 0
    print(f"there is no command {command}", file=sys.stderr)
    return 2


def _wait(store: Store) -> None:
    """Ends the container if the service is gone for good."""
    ends = {signal.SIGTERM, signal.SIGINT}
    # The first process of a container gets only signals that it handles.
    signal.pthread_sigmask(signal.SIG_BLOCK, ends)
    began = time.time()
    while signal.sigtimedwait(ends, _LOOK_S) is None:
        if time.time() - max(began, store.used_at()) > _UNUSED_S:
            return


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1], sys.argv[2], sys.argv[3:]))
