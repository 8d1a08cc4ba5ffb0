"""Tells the kinds of functions apart.

By the flags of its code and not by `inspect`: importing that costs a third of the time that an import of svc may take.
"""

from __future__ import annotations

from typing import Any

_GENERATOR, _COROUTINE, _ASYNC_GENERATOR = 0x20, 0x80, 0x200  # inspect.CO_*; part of the code object's format


def is_async(function: Any) -> bool:
    """Whether a call gives an awaitable."""
    return bool(_flags(function) & _COROUTINE)


def is_generator(function: Any) -> bool:
    """Whether a call gives a generator or an async generator."""
    return bool(_flags(function) & (_GENERATOR | _ASYNC_GENERATOR))


def is_async_generator(function: Any) -> bool:
    """Whether a call gives an async generator."""
    return bool(_flags(function) & _ASYNC_GENERATOR)


def _flags(function: Any) -> int:
    while hasattr(function, "func"):  # functools.partial
        function = function.func
    code = getattr(getattr(function, "__func__", function), "__code__", None)
    return 0 if code is None else int(code.co_flags)


def public_methods(kind: type) -> list[str]:
    """Names of the methods that can be called from outside, in the order of their definition, inherited ones last."""
    names: dict[str, None] = {}
    for parent in kind.__mro__[:-1]:
        names.update(dict.fromkeys(name for name in vars(parent) if not name.startswith("_")))
    found = {name: getattr(kind, name, None) for name in names}
    return [name for name, value in found.items() if callable(value) and not isinstance(value, type)]
