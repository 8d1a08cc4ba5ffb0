"""Forms: multipart/form-data and application/x-www-form-urlencoded. source: RFC 7578."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, unquote

_BOUNDARY = re.compile(r'boundary=(?:"([^"]+)"|([^;\s]+))', re.IGNORECASE)
_NAME = re.compile(r';\s*name\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^;\s]+))', re.IGNORECASE)
_FILE_NAME = re.compile(r";\s*filename\*?\s*=", re.IGNORECASE)

# Fields of a form: a file is bytes, anything else a text; a name that comes twice has both, in order.
Fields = dict[str, "list[str | bytes]"]


class FormError(Exception):
    """The body is no such form."""


def read_multipart(content_type: str, body: bytes) -> Fields:
    """Raises FormError."""
    found = _BOUNDARY.search(content_type)
    if found is None:
        raise FormError("multipart/form-data without a boundary")
    mark = b"\r\n--" + (found[1] or found[2]).encode("latin-1")
    # What follows a mark tells whether it is one: a line end, or -- after the last part.
    pieces = (b"\r\n" + body).split(mark)
    if len(pieces) < 2 or not pieces[-1].startswith(b"--"):
        raise FormError("the multipart body has no end")
    fields: Fields = {}
    for piece in pieces[1:-1]:
        name, value = _read_part(piece)
        fields.setdefault(name, []).append(value)
    return fields


def read_urlencoded(body: str) -> Fields:
    """A query or a body of this form."""
    return {name: list(values) for name, values in parse_qs(body, keep_blank_values=True).items()}


def _read_part(piece: bytes) -> tuple[str, str | bytes]:
    head, gap, value = piece.lstrip(b" \t").partition(b"\r\n\r\n")
    if not gap or not head.startswith(b"\r\n"):
        raise FormError("a part of the multipart body has no head")
    for line in head.decode("utf-8", "replace").split("\r\n"):
        title, _, rest = line.partition(":")
        if title.strip().lower() != "content-disposition" or not (named := _NAME.search(rest)):
            continue
        name = re.sub(r"\\(.)", r"\1", named[1]) if named[1] is not None else named[2]
        is_file = _FILE_NAME.search(rest) is not None
        return unquote(name), value if is_file else value.decode("utf-8", "replace")
    raise FormError("a part of the multipart body has no name")
