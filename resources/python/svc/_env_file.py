"""`.env` files: NAME=value lines, as shells and other tools read them."""

from __future__ import annotations

import os
import re
from pathlib import Path

_LINE = re.compile(
    r"""^[ \t]*(?:export[ \t]+)?(?P<name>[A-Za-z_][A-Za-z0-9_.]*)[ \t]*=[ \t]*
        (?:(?:'(?P<single>[^']*)'|"(?P<double>(?:[^"\\]|\\.)*)")[ \t]*(?:\#[^\n]*)?|(?P<plain>[^\n]*))$""",
    re.VERBOSE | re.MULTILINE | re.DOTALL,
)
# In a plain value a comment begins with a space and #, so that a#b is a value.
_COMMENT = re.compile(r"(?:^|\s+)#.*$")
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}


def parse_env(text: str) -> dict[str, str]:
    """Names and values; other lines are skipped. The last of equal names counts.

    Single quotes keep everything, double quotes know \\n \\r \\t \\" \\\\, and both may hold line breaks. Nothing is
    substituted: a $ is a $.
    """
    values: dict[str, str] = {}
    for found in _LINE.finditer(text.removeprefix("\ufeff").replace("\r\n", "\n")):
        single, double, plain = found["single"], found["double"], found["plain"]
        if single is not None:
            value = single
        elif double is not None:
            value = re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), double, flags=re.DOTALL)
        else:
            value = _COMMENT.sub("", plain).strip()
        values[found["name"]] = value
    return values


def read_env_file(start: Path) -> dict[str, str]:
    """Variables of the nearest `.env` file, from `start` upward; empty when it is missing or cannot be read."""
    found = next((folder / ".env" for folder in (start, *start.parents) if (folder / ".env").is_file()), None)
    try:
        return {} if found is None else parse_env(found.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        return {}


def load_env_file() -> None:
    """Put what the `.env` file upward from the current folder says into the environment; what is set there stays."""
    for name, value in read_env_file(Path.cwd()).items():
        os.environ.setdefault(name, value)
