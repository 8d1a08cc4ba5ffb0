"""The manifest of a tree: a line of JSON for each entry, sorted by path; its SHA-256 is the id of the tree.

Three kinds of entries: a file with the SHA-256 and size of its content, a symbolic link, an empty folder. A manifest
comes over a wire and becomes paths, so each line is checked.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

SHA256 = re.compile(r"[0-9a-f]{64}")
# Source: Linux, PATH_MAX and NAME_MAX, in bytes.
_PATH_BYTES = 4096
_NAME_BYTES = 255


class BadManifest(ValueError):
    """The message says what is wrong with a manifest."""


@dataclass(frozen=True)
class Blob:
    """Content of files. `executable`: files with the same content and other rights are another blob on the disk."""

    sha256: str
    size: int
    executable: bool


@dataclass(frozen=True)
class Entry:
    """One of `blob` and `link` is set, or the entry is a folder without anything in it."""

    path: str
    blob: Blob | None = None
    link: str | None = None


class Manifest:
    """The lines of a manifest by their paths, as they came."""

    def __init__(self, lines: Mapping[str, str]) -> None:
        self._lines = dict(lines)

    @staticmethod
    def read(text: str) -> Manifest:
        """Lines as `text` writes them."""
        return Manifest({}).changed(text, [])

    def changed(self, added: str, removed: Iterable[str]) -> Manifest:
        """Adds the lines of `added`, which replace those with the same path, and removes others."""
        lines = dict(self._lines)
        for path in removed:
            lines.pop(path, None)
        for line in added.split("\n"):
            if line:
                lines[_object(line)["path"]] = line
        return Manifest(lines)

    def text(self) -> str:
        """All lines, in the order of their paths as UTF-8, each with an end of line."""
        return "".join(f"{self._lines[path]}\n" for path in sorted(self._lines))

    def id(self) -> str:
        return hashlib.sha256(self.text().encode()).hexdigest()

    def entries(self) -> list[Entry]:
        """Raises BadManifest when an entry is not one, or would be written through another one."""
        entries = [_entry(_object(self._lines[path])) for path in sorted(self._lines)]
        paths = {entry.path for entry in entries}
        for path in paths:
            parts = path.split("/")
            for depth in range(1, len(parts)):
                if "/".join(parts[:depth]) in paths:
                    raise BadManifest(f"{path} is below an entry that is not a folder with entries")
        return entries


def _object(line: str) -> dict[str, Any]:
    try:
        value = json.loads(line)
    except ValueError as error:
        raise BadManifest("a line is not JSON") from error
    if not isinstance(value, dict) or not isinstance(value.get("path"), str):
        raise BadManifest("a line names no path")
    return value


def _entry(value: dict[str, Any]) -> Entry:
    path = _checked(value["path"])
    kind = set(value) - {"path"}
    if kind == {"folder"}:
        return Entry(path)
    if kind == {"link"} and isinstance(value["link"], str):
        return Entry(path, link=_within(path, value["link"]))
    if kind in ({"sha256", "size"}, {"sha256", "size", "executable"}):
        sha256, size = value["sha256"], value["size"]
        is_blob = isinstance(sha256, str) and SHA256.fullmatch(sha256) and type(size) is int and size >= 0
        if is_blob and value.get("executable", True) is True:
            return Entry(path, blob=Blob(sha256, size, "executable" in value))
    raise BadManifest(f"{path!r} is neither a file, a link nor a folder")


def _checked(path: str) -> str:
    parts = path.split("/")
    if "\0" in path or any(part in ("", ".", "..") for part in parts):
        raise BadManifest(f"{path!r} leads out of the tree, or is not written as a path within it")
    try:
        encoded = [part.encode() for part in parts]
    except UnicodeEncodeError as error:
        raise BadManifest(f"{path!r} is not text") from error
    if len(path.encode()) >= _PATH_BYTES or any(len(part) > _NAME_BYTES for part in encoded):
        raise BadManifest(f"{path!r} is too long")
    return path


def _within(path: str, link: str) -> str:
    """Checks the text alone; the store checks where all links together lead."""
    depth = path.count("/")
    if not link or "\0" in link or link.startswith("/"):
        raise BadManifest(f"the link {path!r} leads out of the tree")
    for part in link.split("/"):
        depth += -1 if part == ".." else 0 if part in ("", ".") else 1
        if depth < 0:
            raise BadManifest(f"the link {path!r} leads out of the tree")
    return link
