"""The patterns of .gitignore files with git's own meaning (gitignore(5)).

The last pattern that matches decides; a file cannot be taken in again when its folder is left out, which is why
_files.py walks from the root down and asks for folders too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "digit": "0-9",
    "lower": "a-z",
    "punct": re.escape("!\"#$%&'()*+,-./:;<=>?@[]^_`{|}~"),
    "space": "\\s",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}


@dataclass(frozen=True)
class Pattern:
    """One line of an ignore file, or a built-in pattern (line 0).

    `anchored`: matched against the path below the file's folder, else the last part.
    """

    text: str
    source: str
    line: int
    negated: bool
    folders_only: bool
    anchored: bool
    regex: re.Pattern[str]

    def matches(self, path: str, name: str, is_folder: bool) -> bool:
        """`path` is relative to the folder of the ignore file, `name` its last part."""
        if self.folders_only and not is_folder:
            return False
        return self.regex.fullmatch(path if self.anchored else name) is not None

    def __str__(self) -> str:
        return f"`{self.text}` ({self.source} line {self.line})" if self.line else f"the built-in pattern `{self.text}`"


def parse_pattern(line: str, source: str, number: int, ignore_case: bool = False) -> Pattern | None:
    """One line of the file `source`, which messages name.

    None for a blank line, a comment, or a pattern that git cannot match either.
    """
    if line.startswith("#"):
        return None
    text = _without_trailing_spaces(line)
    negated = text.startswith("!")
    body = text[1:] if negated else text
    folders_only = body.endswith("/")
    body = body.rstrip("/") if folders_only else body
    anchored = "/" in body
    body = body.removeprefix("/")
    if not body:
        return None
    expression = _expression(body)
    if expression is None:
        return None
    flags = re.DOTALL | re.IGNORECASE if ignore_case else re.DOTALL
    return Pattern(text, source, number, negated, folders_only, anchored, re.compile(expression, flags))


def _without_trailing_spaces(line: str) -> str:
    """git drops trailing spaces unless a backslash stands before them."""
    text = line.rstrip(" ")
    backslashes = len(text) - len(text.rstrip("\\"))
    return text + " " if backslashes % 2 == 1 and text != line else text


def _expression(glob: str) -> str | None:
    """A regular expression for a glob; None where a bracket is not closed or a backslash ends it."""
    parts: list[str] = []
    at = 0
    while at < len(glob):
        if glob.startswith("**/", at) and (at == 0 or glob[at - 1] == "/"):
            parts.append("(?:.*/)?")
            at += 3
        elif glob[at:] == "**" and at > 0 and glob[at - 1] == "/":
            parts.append(".+")
            at += 2
        elif glob[at] == "*":
            parts.append("[^/]*")
            # Several stars in a row are one: "a**b" means "a*b" to git.
            at += len(glob[at:]) - len(glob[at:].lstrip("*"))
        elif glob[at] == "?":
            parts.append("[^/]")
            at += 1
        elif glob[at] == "[":
            bracket, at = _bracket(glob, at)
            if bracket is None:
                return None
            parts.append(bracket)
        else:
            at += 1 if glob[at] == "\\" else 0
            if at == len(glob):
                return None
            parts.append(re.escape(glob[at]))
            at += 1
    return "".join(parts)


def _bracket(glob: str, start: int) -> tuple[str | None, int]:
    """The expression of `[...]` and the position after it."""
    at = start + 1
    negated = glob[at : at + 1] in ("!", "^") and at < len(glob)
    at += 1 if negated else 0
    content: list[str] = []
    first = True
    while at < len(glob) and (first or glob[at] != "]"):
        first = False
        named = re.match(r"\[:(\w+):\]", glob[at:])
        if named is not None and named[1] in _CLASSES:
            content.append(_CLASSES[named[1]])
            at += named.end()
        elif glob[at] == "-" and content and glob[at + 1 : at + 2] not in ("", "]"):
            content.append("-")
            at += 1
        else:
            at += 1 if glob[at] == "\\" else 0
            content.append(re.escape(glob[at : at + 1]))
            at += 1
    if at >= len(glob):
        return None, at
    # A slash is never matched by a bracket.
    expression = f"(?!/)[{'^' if negated else ''}{''.join(content)}]"
    try:
        re.compile(expression)
    except re.error:
        return None, at
    return expression, at + 1
