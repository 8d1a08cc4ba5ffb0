"""The other side of a session: gives a tree of this store to the store of another machine.

Session messages are on standard output and standard input, as _session.py says them. On standard error are lines of JSON
for whoever joins the two stores: {"sent": N, "of": N} in bytes while contents go, and at the end {"given": TREE}, or what
the other store said why not. The store is not held: a tree that was just sent or given is not old, so nobody removes it.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any, BinaryIO

from svc_files._manifest import Blob
from svc_files._store import Store

_PIECE_BYTES = 1 << 18
# How often the store is told that somebody needs it, s. Source: less than the time after which its container ends.
_TOUCH_S = 30


class Giving:
    """A conversation; `run` returns whether the tree is there."""

    def __init__(self, store: Store, read: BinaryIO, write: BinaryIO) -> None:
        self._store = store
        self._read = read
        self._write = write
        self._touched_at = 0.0
        self._told = -1

    def run(self, tree: str) -> bool:
        """Raises EOFError when the connection ends before its time."""
        manifest = self._store.manifest(tree)
        if manifest is None:
            return self._fail({"failed": "refused", "why": "the manager does not have the files any more"})
        owner = self._store.owner(tree)
        about = {"begin": tree, "owner": owner, "removed": []}
        # It may be there already, and only has to be marked as used.
        self._say({**about, "base": tree})
        answer = self._hear()
        if "unknown" in answer:
            self._say({**about, "base": None}, manifest.text().encode())
            answer = self._hear()
        if "missing" in answer:
            blobs = {entry.blob.sha256: entry.blob for entry in manifest.entries() if entry.blob is not None}
            self._give([(blobs[sha256], here) for sha256, here in answer["missing"].items()])
            self._say({"end": True})
            answer = self._hear()
        if answer.get("tree") != tree:
            return self._fail(answer)
        self._tell({"given": tree})
        return True

    def _give(self, missing: list[tuple[Blob, int]]) -> None:
        of = sum(blob.size - here for blob, here in missing)
        sent = 0
        for blob, here in missing:
            left = blob.size - here
            self._say({"blob": blob.sha256}, size=left)
            with self._store.open(blob) as content:
                content.seek(here)
                while left > 0:
                    piece = content.read(min(left, _PIECE_BYTES))
                    if not piece:
                        raise EOFError
                    self._write.write(piece)
                    left -= len(piece)
                    sent += len(piece)
                    self._progress(sent, of)

    def _progress(self, sent: int, of: int) -> None:
        percent = 100 * sent // of
        if percent != self._told:
            self._told = percent
            self._tell({"sent": sent, "of": of})
        if time.monotonic() - self._touched_at > _TOUCH_S:
            self._touched_at = time.monotonic()
            self._store.touch()

    def _say(self, message: dict[str, Any], content: bytes = b"", size: int | None = None) -> None:
        about = {**message, "bytes": len(content) if size is None else size}
        self._write.write(json.dumps(about).encode() + b"\n" + content)
        self._write.flush()

    def _hear(self) -> dict[str, Any]:
        line = self._read.readline()
        if not line.endswith(b"\n"):
            raise EOFError
        message: dict[str, Any] = json.loads(line)
        return message

    def _fail(self, why: dict[str, Any]) -> bool:
        self._tell(why)
        return False

    def _tell(self, message: dict[str, Any]) -> None:
        print(json.dumps(message), file=sys.stderr, flush=True)
