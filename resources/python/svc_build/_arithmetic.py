"""The operators and functions that the evaluator may use: pure ones, whose result cannot become huge."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import Any

from svc_build._symbols import Unresolved

# Maximum length of a text, list, dict or set, and digits of a number. Source: ours; a setting is never larger.
_LARGEST = 100_000
_LARGEST_NUMBER = 10**100


def bounded(value: Any, source: str) -> Any:
    """`value`, unless it is larger than any setting."""
    if isinstance(value, (str, bytes, list, tuple, dict, set)) and len(value) > _LARGEST:
        raise Unresolved(f"`{source}` is larger than any setting")
    if isinstance(value, int) and abs(value) > _LARGEST_NUMBER:
        raise Unresolved(f"`{source}` is larger than any setting")
    return value


def _times(left: Any, right: Any) -> Any:
    for sequence, count in ((left, right), (right, left)):
        if isinstance(sequence, (str, bytes, list, tuple)) and isinstance(count, int):
            if len(sequence) * count > _LARGEST:
                raise ValueError("the result is too large")
    return left * right


def _power(left: Any, right: Any) -> Any:
    if abs(right) > 300:
        raise ValueError("the result is too large")
    return left**right


def _shift(left: Any, right: Any) -> Any:
    if right > 300:
        raise ValueError("the result is too large")
    return left << right


def _remainder(left: Any, right: Any) -> Any:
    if isinstance(left, (str, bytes)):
        raise TypeError("formatting with % is not evaluated, an f-string is")
    return left % right


BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: _times,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: _remainder,
    ast.Pow: _power,
    ast.LShift: _shift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
}

UNARY: dict[type[ast.unaryop], Callable[[Any], Any]] = {
    ast.Not: operator.not_,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}

COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, container: item in container,
    ast.NotIn: lambda item, container: item not in container,
}

BUILTINS: dict[str, Callable[..., Any]] = {
    function.__name__: function
    for function in (str, int, float, bool, list, dict, tuple, set, len, sorted, min, max, sum, abs, round)
}

STRING_METHODS = {
    "lower",
    "upper",
    "strip",
    "lstrip",
    "rstrip",
    "split",
    "removeprefix",
    "removesuffix",
    "title",
    "capitalize",
    "join",
}
