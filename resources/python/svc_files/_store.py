"""The store on the disk: contents of files by their SHA-256, and trees of hard links to them.

    blobs/ab/SHA256      content; with `x` at the end for files that can be run
    incoming/SHA256      content that has not come whole yet
    trees/ID             a tree, as workers see it
    trees/ID.json        its record: whose it is; its time is when it was last sent
    trees/ID.manifest    its manifest
    lock                 held by whoever writes, with the number of that process

A blob that no tree needs has one name left on the disk, which is how the ones to remove are found. Everything is
written under another name first: what has its name is whole.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import shutil
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

from svc_files._manifest import SHA256, BadManifest, Blob, Entry, Manifest

_PIECE_BYTES = 1 << 20


class Store:
    """A store in a folder, which is made."""

    def __init__(self, folder: Path) -> None:
        self._blobs = folder / "blobs"
        self._incoming = folder / "incoming"
        self._trees = folder / "trees"
        self._lock = folder / "lock"
        for made in (self._blobs, self._incoming, self._trees):
            made.mkdir(mode=0o755, exist_ok=True)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Hold the store and end the earlier holder: the service sends one thing at a time, so that connection is gone.
        """
        with open(self._lock, "a+", encoding="utf-8") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                lock.seek(0)
                holder = lock.read().strip()
                if holder:
                    with suppress(ProcessLookupError):
                        os.kill(int(holder), signal.SIGKILL)
                fcntl.flock(lock, fcntl.LOCK_EX)
            lock.truncate(0)
            lock.write(str(os.getpid()))
            lock.flush()
            yield

    def used_at(self) -> float:
        """When it was last held or written to, in s since the epoch."""
        used = 0.0
        for path in (self._lock, *self._incoming.glob("*")):
            with suppress(FileNotFoundError):
                used = max(used, path.stat().st_mtime)
        return used

    def touch(self) -> None:
        """Mark it as needed, even if nobody holds it."""
        self._lock.touch()

    def owner(self, tree: str) -> str:
        """The owner of a stored tree."""
        owner: str = json.loads((self._trees / f"{tree}.json").read_text(encoding="utf-8"))["owner"]
        return owner

    def open(self, blob: Blob) -> BinaryIO:
        """Open a stored content. Raises FileNotFoundError if it is missing."""
        return open(self._found(blob) or self._path(blob), "rb")

    def manifest(self, tree: str) -> Manifest | None:
        """Of a tree that is here."""
        if not SHA256.fullmatch(tree) or not (self._trees / tree).is_dir():
            return None
        return Manifest.read((self._trees / f"{tree}.manifest").read_text(encoding="utf-8"))

    def missing(self, entries: Iterable[Entry]) -> dict[str, int]:
        """Bytes received so far of each incomplete content, by its SHA-256."""
        blobs = {entry.blob.sha256: entry.blob for entry in entries if entry.blob is not None}
        return {sha256: self._come(sha256) for sha256, blob in blobs.items() if self._found(blob) is None}

    def free_bytes(self) -> int:
        return shutil.disk_usage(self._blobs).free

    def take(self, sha256: str, size: int, pieces: Iterable[bytes]) -> bool:
        """Append the rest of a content. False: it has another hash, and was deleted."""
        path = self._incoming / sha256
        try:
            is_whole = _append(path, pieces) == (sha256, size)
        except OSError as error:
            if is_room_error(error):
                path.unlink()
            raise
        if is_whole:
            self._keep(path, Blob(sha256, size, executable=False))
        else:
            path.unlink()
        return is_whole

    def make_tree(self, manifest: Manifest, owner: str) -> None:
        """Create the tree, whose contents are all stored."""
        tree = manifest.id()
        target = self._trees / tree
        if not target.is_dir():
            begun = self._trees / f".{tree}.new"
            shutil.rmtree(begun, ignore_errors=True)
            begun.mkdir(mode=0o755)
            self._fill(begun, manifest.entries())
            self._write(f"{tree}.manifest", manifest.text())
            os.sync()  # a tree with its final name is complete, even after power loss
            begun.rename(target)
        self._write(f"{tree}.json", json.dumps({"owner": owner}))

    def trees(self) -> list[dict[str, Any]]:
        """The stored trees: owner, and when each was last sent, in ms since the epoch."""
        found = []
        for record in self._trees.glob("*.json"):
            found.append(
                {"tree": record.stem, "owner": self.owner(record.stem), "usedAt": int(record.stat().st_mtime * 1000)}
            )
        return sorted(found, key=lambda one: one["tree"])

    def remove(self, trees: Iterable[str]) -> int:
        """Remove trees, incomplete contents and contents that no tree uses. Returns the freed bytes."""
        for tree in trees:
            if SHA256.fullmatch(tree):
                (self._trees / f"{tree}.json").unlink(missing_ok=True)
        known = {record.stem for record in self._trees.glob("*.json")}
        for entry in list(self._trees.iterdir()):
            if entry.name.split(".")[0] not in known:
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        shutil.rmtree(self._incoming)
        self._incoming.mkdir(mode=0o755)
        freed = 0
        for blob in self._blobs.glob("*/*"):
            facts = blob.stat()
            if facts.st_nlink == 1:
                freed += facts.st_size
                blob.unlink()
        return freed

    # Texts and no Path objects, which take longer than what the disk does: a tree has thousands of them.
    def _path(self, blob: Blob) -> str:
        return f"{self._blobs}/{blob.sha256[:2]}/{blob.sha256}{'x' if blob.executable else ''}"

    def _found(self, blob: Blob) -> str | None:
        """The path of the content, whatever its rights. Power loss may have left it incomplete."""
        for executable in (blob.executable, not blob.executable):
            path = self._path(Blob(blob.sha256, blob.size, executable))
            try:
                if os.stat(path).st_size == blob.size:
                    return path
            except FileNotFoundError:
                continue
        return None

    def _come(self, sha256: str) -> int:
        try:
            return (self._incoming / sha256).stat().st_size
        except FileNotFoundError:
            return 0

    def _keep(self, path: Path, blob: Blob) -> None:
        target = Path(self._path(blob))
        target.parent.mkdir(mode=0o755, exist_ok=True)
        path.chmod(0o755 if blob.executable else 0o644)
        path.rename(target)

    def _ensure(self, blob: Blob) -> None:
        """The blob with these rights, copied from the other one if only that exists."""
        found = self._found(blob)
        if found is None:
            raise BadManifest(f"the content {blob.sha256} has not come")
        if found != self._path(blob):
            copied = self._incoming / f"{blob.sha256}.copy"
            shutil.copyfile(found, copied)
            self._keep(copied, blob)

    def _fill(self, root: Path, entries: list[Entry]) -> None:
        for blob in {entry.blob for entry in entries if entry.blob is not None}:
            self._ensure(blob)
        folders = {str(root)}
        for entry in entries:
            target = f"{root}/{entry.path}"
            folder = target if entry.blob is None and entry.link is None else os.path.dirname(target)
            if folder not in folders:
                os.makedirs(folder, mode=0o755, exist_ok=True)
                folders.add(folder)
            if entry.blob is not None:
                _link(self._path(entry.blob), target)
            elif entry.link is not None:
                os.symlink(entry.link, target)
        # A link by way of another one may lead out although its text does not.
        inside = os.path.realpath(root)
        for entry in entries:
            if entry.link is not None:
                reached = os.path.realpath(root / entry.path)
                if reached != inside and not reached.startswith(f"{inside}/"):
                    raise BadManifest(f"the link {entry.path!r} leads out of the tree")

    def _write(self, name: str, text: str) -> None:
        path = self._trees / f".{name}.new"
        path.write_text(text, encoding="utf-8")
        path.rename(self._trees / name)


def _append(path: Path, pieces: Iterable[bytes]) -> tuple[str, int]:
    """Returns SHA-256 and size of what the file holds then."""
    digest = hashlib.sha256()
    with open(path, "ab+") as file:
        file.seek(0)
        for piece in iter(lambda: file.read(_PIECE_BYTES), b""):
            digest.update(piece)
        for piece in pieces:
            digest.update(piece)
            file.write(piece)
        return digest.hexdigest(), file.tell()


def _link(blob: str, target: str) -> None:
    try:
        os.link(blob, target)
    except OSError as error:
        # The number of hard links to a file is limited (65,000 on ext4), and apps have many empty files.
        if error.errno != errno.EMLINK:
            raise
        shutil.copyfile(blob, target)
        shutil.copymode(blob, target)


def is_room_error(error: OSError) -> bool:
    """Whether the disk or the user's quota is full."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)
