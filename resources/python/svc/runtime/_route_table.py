"""Which route answers a request, by method and path."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple
from urllib.parse import unquote

_PLACE = re.compile(r"\{(\w+)(:path)?\}")


class Route(NamedTuple):
    """A declared route; `pattern` matches decoded paths, its groups are the path parameters."""

    method: str
    path: str
    pattern: re.Pattern[str]
    function: Any


class Match(NamedTuple):
    """The route, and the texts of its path parameters."""

    route: Route
    values: dict[str, str]


def make_route(method: str, path: str, function: Any) -> Route:
    """`{name}` stands for one part of a path, `{name:path}` for the rest of it."""
    pieces: list[str] = []
    end = 0
    for place in _PLACE.finditer(path):
        pieces.append(re.escape(path[end : place.start()]))
        pieces.append(f"(?P<{place[1]}>{'.+' if place[2] else '[^/]+'})")
        end = place.end()
    pieces.append(re.escape(path[end:]))
    return Route(method.upper(), path, re.compile("".join(pieces), re.DOTALL), function)


def place_names(path: str) -> list[str]:
    return [place[1] for place in _PLACE.finditer(path)]


def find_route(routes: Sequence[Route], method: str, raw_path: str) -> Match | list[str]:
    """The first route that matches, in the order of the source; else the methods that the path has, if any.

    HEAD is answered by the route for GET.
    """
    # An encoded slash is a part of a value, not a border between parts, so it is decoded after the match.
    path = unquote(re.sub("%2f", "%252F", raw_path, flags=re.IGNORECASE))
    allowed: list[str] = []
    for route in routes:
        if found := route.pattern.fullmatch(path):
            if route.method == method or (method == "HEAD" and route.method == "GET"):
                return Match(route, {name: value.replace("%2F", "/") for name, value in found.groupdict().items()})
            allowed += ["GET", "HEAD"] if route.method == "GET" else [route.method]
    return sorted(set(allowed))
