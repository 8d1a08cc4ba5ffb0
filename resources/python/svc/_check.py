"""Checks of parameters, with errors that name the parameter, the value and what is allowed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class Rule(NamedTuple):
    """`holds` for good values; `allowed` completes "x=... is not allowed; it must be ..."."""

    holds: Callable[[Any], bool]
    allowed: str


def whole_number(least: int, most: int | None = None, unit: str = "") -> Rule:
    """A whole number within limits, both included. A bool is none, although Python says so."""
    span = f"from {least} to {most}" if most is not None else f"of at least {least}"
    return Rule(
        lambda value: type(value) is int and value >= least and (most is None or value <= most),
        f"a whole number {span}{f' ({unit})' if unit else ''}",
    )


text = Rule(lambda value: isinstance(value, str) and value.strip() != "", "a non-empty string")
flag = Rule(lambda value: isinstance(value, bool), "True or False")
texts = Rule(
    lambda value: isinstance(value, (list, tuple)) and all(isinstance(item, str) and item.strip() for item in value),
    'a list of strings, like ["pillow>=10"]',
)


class Checked:
    """Checks parameters of one class; `owner` is its name in the errors."""

    def __init__(self, owner: str) -> None:
        self._owner = owner

    def value(self, name: str, value: T, rule: Rule) -> T:
        """`value` itself. Raises ValueError when the rule does not hold."""
        if not rule.holds(value):
            raise self.wrong(name, value, rule.allowed)
        return value

    def optional(self, name: str, value: T | None, rule: Rule) -> T | None:
        """The same, where None means not given."""
        return None if value is None else self.value(name, value, rule)

    def member(self, name: str, value: Any, *enums: type[Enum]) -> str:
        """The wire value of an enum's member or of its text; the first enum that knows it."""
        # By class name too: a member of the other module of the same name (svc, runpod_flash) is as good.
        found = value.value if isinstance(value, Enum) else value
        allowed = list(dict.fromkeys(str(member.value) for kind in enums for member in kind))
        if not isinstance(found, str) or found not in allowed:
            raise self.wrong(name, found, f"one of {', '.join(allowed)}")
        return found

    def members(self, name: str, value: Any, *enums: type[Enum]) -> list[str]:
        """One member or a list of them, as wire values in the given order."""
        values: Sequence[Any] = value if isinstance(value, (list, tuple)) else [value]
        if not values:
            raise self.wrong(name, value, "at least one value")
        return [self.member(name, item, *enums) for item in values]

    def wrong(self, name: str, value: Any, allowed: str) -> ValueError:
        """The error; raised by the caller, so that the type checker sees the end."""
        return ValueError(f"{self._owner}: {name}={value!r} is not allowed; it must be {allowed}")
