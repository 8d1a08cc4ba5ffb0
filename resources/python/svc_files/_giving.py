"""The other side of a session: gives a tree of this store to the store of another machine.

Session messages are on standard output and standard input, as _session.py says them. On standard error are lines of
JSON for whoever joins the two stores: {"sent": N, "of": N} in bytes while contents go, and at the end {"given": TREE},
or what the other store said why not. The store is not held: a tree that was just sent or given is not old, so nobody
removes it.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

from svc_files._manifest import Blob
from svc_files._session import Conversation

_PIECE_BYTES = 1 << 18
# Seconds between messages to the other store, less than the time after which its container ends.
_TOUCH_S = 30


class Giving(Conversation):
    """The sending side."""

    _touched_at = 0.0
    _told = -1

    def run(self, tree: str) -> bool:
        """Raises EOFError when the connection ends before its time."""
        manifest = self._store.manifest(tree)
        if manifest is None:
            return self._fail({"failed": "refused", "why": "the manager does not have the files any more"})
        owner = self._store.owner(tree)
        about: dict[str, Any] = {"begin": tree, "owner": owner, "removed": []}
        # It may be stored already, and only has to be marked as used.
        self._say(**about, base=tree, bytes=0)
        answer = self._hear()
        if "unknown" in answer:
            lines = manifest.text().encode()
            self._say(lines, **about, base=None, bytes=len(lines))
            answer = self._hear()
        if "missing" in answer:
            blobs = {entry.blob.sha256: entry.blob for entry in manifest.entries() if entry.blob is not None}
            self._give([(blobs[sha256], here) for sha256, here in answer["missing"].items()])
            self._say(end=True, bytes=0)
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
            self._say(blob=blob.sha256, bytes=left)
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

    def _fail(self, why: dict[str, Any]) -> bool:
        self._tell(why)
        return False

    def _tell(self, message: dict[str, Any]) -> None:
        print(json.dumps(message), file=sys.stderr, flush=True)
