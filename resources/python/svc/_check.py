"""Checks of parameters, with errors that name the parameter, the value and what is allowed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from typing import Any, NamedTuple


class Rule(NamedTuple):
    """`holds` for good values; `allowed` completes "x=... is not allowed; it must be ..."."""

    holds: Callable[[Any], bool]
    allowed: str


def whole_number(least: int, most: int | None = None, unit: str = "") -> Rule:
    """A whole number within limits, both included. Unlike in Python, a bool is not one."""
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
    """Checks what one class was given; `owner` is its name in the errors. None means not given."""

    def __init__(self, owner: str, given: Mapping[str, Any]) -> None:
        self._owner = owner
        self._given = given

    def value(self, name: str, rule: Rule) -> Any:
        """The value itself. Raises ValueError when the rule does not hold."""
        if not rule.holds(self._given[name]):
            raise self.wrong(name, rule.allowed)
        return self._given[name]

    def optional(self, name: str, rule: Rule) -> Any:
        """The same, or None."""
        return None if self._given[name] is None else self.value(name, rule)

    def member(self, name: str, *enums: type[Enum]) -> str | None:
        """The wire value of an enum's member or of its text; the first enum that knows it."""
        return None if self._given[name] is None else self._member(name, self._given[name], enums)

    def members(self, name: str, *enums: type[Enum]) -> list[str] | None:
        """One member or a list of them, as wire values in the given order."""
        value = self._given[name]
        values = value if isinstance(value, (list, tuple)) else [value]
        if not values:
            raise self.wrong(name, "at least one value")
        return None if value is None else [self._member(name, item, enums) for item in values]

    def _member(self, name: str, item: Any, enums: tuple[type[Enum], ...]) -> str:
        # By class name too: a member of the other module of the same name (svc, runpod_flash) is as good.
        found = item.value if isinstance(item, Enum) else item
        allowed = list(dict.fromkeys(str(member.value) for kind in enums for member in kind))
        if not isinstance(found, str) or found not in allowed:
            raise _wrong(self._owner, name, found, f"one of {', '.join(allowed)}")
        return found

    def wrong(self, name: str, allowed: str) -> ValueError:
        """The error; raised by the caller, so that the type checker sees the end."""
        return _wrong(self._owner, name, self._given[name], allowed)


def _wrong(owner: str, name: str, value: Any, allowed: str) -> ValueError:
    return ValueError(f"{owner}: {name}={value!r} is not allowed; it must be {allowed}")
