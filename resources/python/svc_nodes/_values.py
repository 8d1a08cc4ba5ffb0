"""Values that an expression of a package has, as far as they are known without running it."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any


class Unknown:
    """Only known when the code runs."""


UNKNOWN = Unknown()


@dataclass
class Mapping:
    """The keys of a dict. `complete`: no others can exist."""

    items: dict[str, Any] = field(default_factory=dict)
    complete: bool = True

    def add(self, other: Any) -> None:
        if isinstance(other, Mapping):
            self.items.update(other.items)
            self.complete = self.complete and other.complete
        else:
            self.complete = False

    def put(self, key: Any, value: Any) -> None:
        if isinstance(key, str):
            self.items[key] = value
        else:
            self.complete = False


@dataclass
class ModuleName:
    """A module of the package, by its path below it: `nodes.image`, or an empty text for the package."""

    name: str


@dataclass
class Class:
    node: ast.ClassDef
    module: Any


@dataclass
class Function:
    node: ast.FunctionDef | ast.AsyncFunctionDef
    module: Any
