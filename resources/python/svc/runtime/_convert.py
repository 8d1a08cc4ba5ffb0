"""A value of a request as the type that a parameter is annotated with.

As lenient as web frameworks are: a number may come as a text, in a query it must. Types that are not known here take
the value as it is.
"""

from __future__ import annotations

import dataclasses
import enum
import math
import types
import typing
from collections.abc import Mapping
from typing import Any, Literal, Union

_TRUE, _FALSE = ("true", "1", "on", "yes"), ("false", "0", "off", "no")
_SEQUENCES = (list, set, frozenset, tuple)
# Standard types that are made from one text.
_FROM_TEXT = frozenset({("uuid", "UUID"), ("decimal", "Decimal"), ("pathlib", "Path")})


class MismatchError(Exception):
    """The value does not fit; the text completes "field: ..."."""


def convert(value: Any, kind: Any) -> Any:
    """`value` as `kind`, an annotation. Raises MismatchError, or what a pydantic model raises."""
    origin = typing.get_origin(kind)
    if origin is typing.Annotated:
        return convert(value, typing.get_args(kind)[0])
    if kind is Any or kind is typing.Any or kind is object:
        return value
    if origin in (Union, types.UnionType):
        return _convert_union(value, typing.get_args(kind))
    if origin is Literal:
        return _one_of(value, {option: option for option in typing.get_args(kind)})
    if kind is None or kind is type(None):
        if value is None or value == "":
            return None
        raise MismatchError("must be null")
    if (origin or kind) in _SEQUENCES:
        return _convert_sequence(value, origin or kind, typing.get_args(kind))
    if (origin or kind) in (dict, Mapping):
        return _convert_mapping(value, typing.get_args(kind))
    return _CONVERTERS[kind](value) if kind in _CONVERTERS else _convert_class(value, kind)


def is_model(kind: Any) -> bool:
    """Whether it is a pydantic model, known by its shape: we bring no pydantic."""
    return isinstance(kind, type) and (hasattr(kind, "model_validate") or hasattr(kind, "parse_obj"))


def _convert_union(value: Any, kinds: tuple[Any, ...]) -> Any:
    if value is None and type(None) in kinds:
        return None
    # An exact type first: in `int | str` the text "5" stays a text.
    if type(value) in kinds:
        return value
    faults: list[str] = []
    for kind in kinds:
        try:
            return convert(value, kind)
        except Exception as error:  # also a model's own
            if kind is not type(None):
                faults.append(str(error))
    raise MismatchError(" or ".join(dict.fromkeys(faults)))


def _convert_sequence(value: Any, kind: Any, kinds: tuple[Any, ...]) -> Any:
    if not isinstance(value, (list, tuple)):
        raise MismatchError("must be a list")
    item_kind = kinds[0] if kinds else Any
    fixed = kind is tuple and kinds and kinds[-1] is not Ellipsis
    if fixed and len(kinds) != len(value):
        raise MismatchError(f"must be a list of {len(kinds)}")
    return kind(convert(item, kinds[index] if fixed else item_kind) for index, item in enumerate(value))


def _convert_mapping(value: Any, kinds: tuple[Any, ...]) -> Any:
    if not isinstance(value, Mapping):
        raise MismatchError("must be an object")
    return {key: convert(item, kinds[1]) for key, item in value.items()} if len(kinds) == 2 else value


def _convert_class(value: Any, kind: Any) -> Any:
    if not isinstance(kind, type) or isinstance(value, kind):
        return value
    if is_model(kind):
        return kind.model_validate(value) if hasattr(kind, "model_validate") else kind.parse_obj(value)  # type: ignore[attr-defined]
    if issubclass(kind, enum.Enum):
        return _one_of(value, {member.value: member for member in kind})
    if dataclasses.is_dataclass(kind) and isinstance(value, Mapping):
        return _make(kind, **value)
    if isinstance(value, str) and hasattr(kind, "fromisoformat"):
        return _make(kind.fromisoformat, value)
    if isinstance(value, str) and (kind.__module__.split(".")[0], kind.__name__) in _FROM_TEXT:
        return _make(kind, value)
    return value


def _make(make: Any, *args: Any, **kwargs: Any) -> Any:
    try:
        return make(*args, **kwargs)
    except Exception as error:  # whatever a constructor raises: the value does not fit
        raise MismatchError(str(error)) from error


def _one_of(value: Any, options: dict[Any, Any]) -> Any:
    for option, result in options.items():
        if option == value or (isinstance(value, str) and str(option) == value):
            return result
    raise MismatchError(f"must be one of {', '.join(repr(option) for option in options)}")


def _to_int(value: Any) -> int:
    try:
        if isinstance(value, bool) or (isinstance(value, float) and not value.is_integer()):
            raise ValueError
        return int(value)
    except (TypeError, ValueError, OverflowError):
        raise MismatchError("must be a whole number") from None


def _to_float(value: Any) -> float:
    try:
        number = math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if math.isnan(number):
        raise MismatchError("must be a number")
    return number


def _to_bool(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).lower() if isinstance(value, (str, int)) else None
    if word not in (*_TRUE, *_FALSE):
        raise MismatchError("must be true or false")
    return word in _TRUE


def _to_str(value: Any) -> str:
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if not isinstance(value, str):
        raise MismatchError("must be a string")
    return value


def _to_bytes(value: Any) -> bytes:
    if not isinstance(value, (str, bytes)):
        raise MismatchError("must be bytes: send it as multipart/form-data, or alone as the body")
    return value.encode() if isinstance(value, str) else value


_CONVERTERS: dict[Any, Any] = {int: _to_int, float: _to_float, bool: _to_bool, str: _to_str, bytes: _to_bytes}
