"""The lines of the project's requirements.txt, with those of the files it includes."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from svc_build._problems import Problems

_COMMENT = re.compile(r"(^|\s)#.*$")
_INCLUDE = re.compile(r"(?:-r\s*|--requirement[\s=]\s*)(\S.*)")


def read_requirements(root: str, problems: Problems) -> list[dict[str, Any]]:
    """`{text, file, line, isOption}` for each; an option is a line that begins with a dash, for the installer."""
    file = "requirements.txt"
    return _read(root, file, problems, set()) if os.path.isfile(os.path.join(root, file)) else []


def _read(root: str, file: str, problems: Problems, seen: set[str]) -> list[dict[str, Any]]:
    if file in seen:
        return []
    seen.add(file)
    try:
        with open(os.path.join(root, file), encoding="utf-8-sig", errors="replace") as opened:
            content = opened.read()
    except OSError as error:
        problems.add("unreadable-file", file, 1, reason=error.strerror or str(error))
        return []
    found: list[dict[str, Any]] = []
    for line, text in _logical_lines(content):
        included = _INCLUDE.fullmatch(text)
        if included is None:
            found.append({"text": text, "file": file, "line": line, "isOption": text.startswith("-")})
            continue
        target = os.path.normpath(os.path.join(os.path.dirname(file), included[1])).replace(os.sep, "/")
        if target.startswith("../") or not os.path.isfile(os.path.join(root, target)):
            problems.add("requirements-missing", file, line, text=text, target=target)
        else:
            found.extend(_read(root, target, problems, seen))
    return found


def _logical_lines(content: str) -> Iterator[tuple[int, str]]:
    """Lines without comments, those that end in a backslash joined with the next, as pip reads them."""
    joined, start = "", 1
    for number, line in enumerate(content.splitlines(), 1):
        start = start if joined else number
        if line.endswith("\\") and not line.lstrip().startswith("#"):
            joined += line[:-1]
            continue
        text = _COMMENT.sub("", joined + line).strip()
        joined = ""
        if text:
            yield start, text
    if joined.strip():
        yield start, joined.strip()
