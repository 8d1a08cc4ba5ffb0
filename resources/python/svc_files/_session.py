"""One sending: what the service says on the standard input, and what is answered on the standard output.

Each message is a line of JSON; `bytes` in it says how many bytes follow. The service begins:

    {"begin": TREE, "owner": TEXT, "base": TREE?, "removed": [PATH], "bytes": N} and the manifest's lines that are not
                                    in the base; without a base all of them

and gets {"unknown": BASE}, upon which it begins again, or {"missing": {SHA256: how much of it is here}}. Then it sends

    {"blob": SHA256, "size": N, "bytes": N} and what is missing of the content, as often as there is one
    {"end": true}

and gets {"tree": TREE} when the tree is there. {"failed": CODE, ...} ends it at any time: `changed` (the content is not
what the manifest says; the SHA-256 says whose), `full` (with the room that is left and what is wanted, in bytes) or
`refused` (with a sentence). Contents that have come whole stay whatever happens.
"""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from svc_files._manifest import BadManifest, Entry, Manifest
from svc_files._store import Store, is_room_error

# Seconds of silence after which a connection counts as lost, whatever its other end reports. Source: ours.
IDLE_S = 60
_PIECE_BYTES = 1 << 18


class Conversation:
    """One side of a transfer; `run` returns whether the tree is complete."""

    def __init__(self, store: Store, read: BinaryIO, write: BinaryIO) -> None:
        self._store = store
        self._read = read
        self._write = write

    def _hear(self) -> dict[str, Any]:
        line = self._read.readline()
        if not line.endswith(b"\n"):
            raise EOFError
        message: dict[str, Any] = json.loads(line)
        return message

    def _say(self, content: bytes = b"", /, **message: Any) -> None:
        self._write.write(json.dumps(message).encode() + b"\n" + content)
        self._write.flush()


class Session(Conversation):
    """The receiving side."""

    def run(self) -> bool:
        """Raises EOFError when the connection ends before its time."""
        try:
            return self._converse()
        except BadManifest as error:
            return self._fail("refused", why=str(error))
        except OSError as error:
            if not is_room_error(error):
                raise
            return self._fail("full", freeBytes=self._store.free_bytes())

    def _converse(self) -> bool:
        owner, manifest, entries = self._begin()
        missing = self._store.missing(entries)
        sizes = {entry.blob.sha256: entry.blob.size for entry in entries if entry.blob is not None}
        wanted = sum(sizes[sha256] - here for sha256, here in missing.items())
        free = self._store.free_bytes()
        if wanted > free:
            return self._fail("full", freeBytes=free, wantedBytes=wanted)
        self._say(missing=missing)
        while "end" not in (message := self._hear()):
            sha256 = message.get("blob")
            if sha256 not in missing:
                return self._fail("refused", why="a content came that is not missing")
            if not self._store.take(sha256, sizes[sha256], self._pieces(message["bytes"])):
                return self._fail("changed", sha256=sha256)
        self._store.make_tree(manifest, owner)
        self._say(tree=manifest.id())
        return True

    def _begin(self) -> tuple[str, Manifest, list[Entry]]:
        while True:
            message = self._hear()
            added = b"".join(self._pieces(message["bytes"])).decode()
            base = Manifest({}) if message.get("base") is None else self._store.manifest(message["base"])
            if base is None:
                self._say(unknown=message["base"])
                continue
            manifest = base.changed(added, message["removed"])
            if manifest.id() != message["begin"]:
                raise BadManifest("the manifest is not that of the tree")
            return message["owner"], manifest, manifest.entries()

    def _hear(self) -> dict[str, Any]:
        with _patience():
            return super()._hear()

    def _pieces(self, left: int) -> Iterator[bytes]:
        while left > 0:
            with _patience():
                piece = self._read.read(min(left, _PIECE_BYTES))
            if not piece:
                raise EOFError
            left -= len(piece)
            yield piece

    def _fail(self, code: str, **facts: Any) -> bool:
        self._say(failed=code, **facts)
        return False


@contextmanager
def _patience() -> Iterator[None]:
    """End the process if the block takes too long."""
    signal.alarm(IDLE_S)
    yield
    signal.alarm(0)
