"""Which names a module, class or function binds, in which order, as read from its statements.

Nothing is run. A branch that cannot be taken (`if TYPE_CHECKING:`, `if __name__ == "__main__":`, a test of constants)
is left out; one of which it is not known makes its bindings conditional.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

# Methods that change the list, dict or set they are called on.
_CHANGING = {
    "append",
    "extend",
    "insert",
    "remove",
    "pop",
    "clear",
    "update",
    "setdefault",
    "sort",
    "reverse",
    "add",
    "discard",
    "popitem",
}

_TRIES = (ast.Try, getattr(ast, "TryStar", ast.Try))
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

Function = ast.FunctionDef | ast.AsyncFunctionDef
Block = ast.Module | ast.ClassDef | Function | ast.Lambda


@dataclass(frozen=True)
class Import:
    """`import module` (name None, `module` may be a prefix of what is loaded) or `from module import name`."""

    module: str
    level: int
    name: str | None


@dataclass(frozen=True)
class Binding:
    """One way a name gets its value. `node`: an Import, the definition, the expression or the changing statement.

    `kind`: import, definition, value, change (`x += y`, `x.append(y)`, `x[k] = y`), or unknown (loops, parameters).
    """

    order: int
    kind: str
    node: ast.AST | Import
    line: int
    conditional: bool


@dataclass(frozen=True)
class Step:
    """A statement that runs when the block runs. `guarded`: in a `try` that catches a failing import."""

    order: int
    node: ast.stmt
    guarded: bool


@dataclass(eq=False)
class Scope:
    """The names of one block. `module` is dotted; `parent` is the block around, of a method that around the class."""

    block: Block
    file: str
    module: str
    parent: Scope | None
    names: dict[str, list[Binding]] = field(default_factory=dict)
    stars: list[Import] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    # Filled by _imports.py when somebody asks.
    imports: Any = None


class ScopeReader:
    """Fills a Scope. `truth` tells whether a test is known to be true or false; it sees what was bound so far."""

    def __init__(self, scope: Scope, truth: Callable[[Scope, ast.expr, int], bool | None]) -> None:
        self._scope = scope
        self._truth = truth
        self._conditional = False
        self._looping = False
        self._guarded = False

    def read(self) -> Scope:
        block = self._scope.block
        if isinstance(block, (*FUNCTIONS, ast.Lambda)):
            given = block.args
            named = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
            for parameter in filter(None, named):
                self._bind(parameter.arg, "unknown", parameter)
        if not isinstance(block, ast.Lambda):
            self._statements(block.body)
        return self._scope

    def _statements(self, body: list[ast.stmt], **flags: bool) -> None:
        before = (self._conditional, self._looping, self._guarded)
        self._conditional |= flags.get("conditional", False)
        self._looping |= flags.get("looping", False)
        self._guarded |= flags.get("guarded", False)
        for statement in body:
            self._statement(statement)
        self._conditional, self._looping, self._guarded = before

    def _statement(self, node: ast.stmt) -> None:
        if isinstance(node, ast.If):
            known = self._truth(self._scope, node.test, len(self._scope.steps) + 1)
            if known is not False:
                self._statements(node.body, conditional=known is None)
            if known is not True:
                self._statements(node.orelse, conditional=known is None)
        elif isinstance(node, _TRIES):
            caught = bool(node.handlers)
            self._statements(node.body, conditional=caught, guarded=any(map(catches_imports, node.handlers)))
            for handler in node.handlers:
                self._statements(handler.body, conditional=True)
            self._statements(node.orelse, conditional=caught)
            self._statements(node.finalbody)
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            for item in node.items:
                self._targets(item.optional_vars, "unknown", node)
            self._statements(node.body)
        elif isinstance(node, (ast.For, ast.AsyncFor)):
            self._targets(node.target, "unknown", node)
            self._statements(node.body + node.orelse, looping=True)
        elif isinstance(node, ast.While):
            self._statements(node.body + node.orelse, looping=True)
        elif isinstance(node, ast.Match):
            for case in node.cases:
                self._statements(case.body, conditional=True)
        else:
            self._scope.steps.append(Step(len(self._scope.steps) + 1, node, self._guarded))
            self._leaf(node)

    def _leaf(self, node: ast.stmt) -> None:
        if isinstance(node, ast.Import):
            for alias in node.names:
                whole = alias.name if alias.asname else alias.name.partition(".")[0]
                self._bind(alias.asname or whole, "import", Import(whole, 0, None))
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if alias.name == "*":
                    self._scope.stars.append(Import(node.module or "", node.level, None))
                else:
                    source = Import(node.module or "", node.level, alias.name)
                    self._bind(alias.asname or alias.name, "import", source)
        elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
            self._bind(node.name, "definition", node)
        elif isinstance(node, ast.Assign):
            for target in node.targets:
                self._targets(target, "value", node.value)
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            self._targets(node.target, "value", node.value)
        elif isinstance(node, ast.AugAssign):
            self._targets(node.target, "change", node)
        elif isinstance(node, ast.Delete):
            for target in node.targets:
                self._targets(target, "unknown", node)
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            called = node.value.func
            if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Name) and called.attr in _CHANGING:
                self._bind(called.value.id, "change", node)

    def _targets(self, target: ast.expr | None, kind: str, node: ast.AST) -> None:
        if isinstance(target, ast.Name):
            self._bind(target.id, kind, node)
        elif isinstance(target, (ast.Tuple, ast.List)):
            values = node.elts if kind == "value" and isinstance(node, (ast.Tuple, ast.List)) else []
            parallel = len(values) == len(target.elts) and not any(
                isinstance(e, ast.Starred) for e in target.elts + values
            )
            for position, element in enumerate(target.elts):
                inner = element.value if isinstance(element, ast.Starred) else element
                self._targets(inner, kind if parallel else "unknown", values[position] if parallel else node)
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            self._bind(target.value.id, "change", self._scope.steps[-1].node)

    def _bind(self, name: str, kind: str, node: ast.AST | Import) -> None:
        # The result of a loop depends on how often it ran.
        kind = "unknown" if self._looping and kind in ("value", "change") else kind
        order = len(self._scope.steps)
        line = getattr(node, "lineno", None) or (self._scope.steps[-1].node.lineno if self._scope.steps else 1)
        self._scope.names.setdefault(name, []).append(Binding(order, kind, node, line, self._conditional))


def catches_imports(handler: ast.ExceptHandler) -> bool:
    """Whether a failing import ends in this handler."""
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    caught = {type_.id if isinstance(type_, ast.Name) else None for type_ in types}
    return handler.type is None or bool(caught & {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


def last_name(node: ast.expr) -> str:
    """`x` of `x` and of `a.x`."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
