"""The meanings that a name in the source can have, and why it may have none."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from svc_build._scope import Scope


class Unresolved(Exception):
    """The text says why, without a full stop: "`pick()` is a call"."""


class Invalid(Exception):
    """The value is known and wrong; the text says what is allowed."""


class Refused(Invalid):
    """The package runpod 2.0 refuses the value with this message. `names_resource`: the resource's name precedes it."""

    def __init__(self, words: str, *, names_resource: bool = False) -> None:
        super().__init__(words)
        self.names_resource = names_resource


class ValueAttribute(Unresolved):
    """The attribute belongs to a value and not to a module or class."""


@dataclass(frozen=True)
class SdkModule:
    """The package `svc`, `runpod_flash`, `runpod`, or a module in it."""

    name: str


@dataclass(frozen=True)
class SdkName:
    """Something a package offers: Endpoint, GpuGroup, ...; of `runpod` with the package: runpod.App."""

    name: str


@dataclass(frozen=True)
class SdkMember:
    """An attribute of an SdkName: GpuGroup.ADA_24."""

    owner: str
    name: str


@dataclass(frozen=True)
class ProjectModule:
    name: str


@dataclass(frozen=True)
class External:
    """A dotted name outside of the project: "os.environ.get", "builtins.len"."""

    path: str


@dataclass(frozen=True)
class Definition:
    """A function or class of the project."""

    scope: Scope
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Value:
    """An expression (or a statement that changes the value before it), to be evaluated at `order` in `scope`."""

    scope: Scope
    node: ast.AST
    order: int
    name: str


Symbol = SdkModule | SdkName | SdkMember | ProjectModule | External | Definition | Value


def is_sdk_name(name: str) -> bool:
    """Of svc and runpod_flash: classes and constants; what is written small is a module of the package."""
    return name[:1].isupper() or name == "remote"


def same(one: Symbol, other: Symbol) -> bool:
    """Whether two branches mean the same: also `X = 1` in both."""
    if isinstance(one, Value) and isinstance(other, Value):
        is_constant = not any(isinstance(inner, (ast.Name, ast.Call, ast.stmt)) for inner in ast.walk(one.node))
        return one.scope is other.scope and ast.dump(one.node) == ast.dump(other.node) and is_constant
    return one == other


def shown(node: ast.AST) -> str:
    """A piece of source for a message, on one line and not long."""
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 60 else f"{text[:57]}..."
