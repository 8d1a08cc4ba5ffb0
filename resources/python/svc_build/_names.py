"""Resolves names and dotted names in the source through assignments and imports of project files."""

from __future__ import annotations

import ast
import builtins
import contextlib
from collections.abc import Callable, Iterator
from typing import NamedTuple

from svc_build._catalog import APP_PACKAGE, SDK_NAMES
from svc_build._project import Project
from svc_build._scope import FUNCTIONS, Binding, Block, Import, Scope, ScopeReader, last_name
from svc_build._symbols import (
    Definition,
    External,
    ProjectModule,
    SdkMember,
    SdkModule,
    SdkName,
    Symbol,
    Unresolved,
    Value,
    ValueAttribute,
    is_sdk_name,
    same,
    shown,
)

# Chains of imports and of base classes that are longer go in a circle.
_LONGEST_CHAIN = 50
_MOST_BASES = 20
# By the kind of place that an import leads to.
_LED_TO: dict[str, Callable[[str], Symbol]] = {"sdk": SdkModule, "project": ProjectModule, "external": External}
# Decorators of what is called like an attribute.
_HIDING = frozenset({"property", "cached_property", "setter", "deleter"})


class Seen(NamedTuple):
    """A node with the scope in which it is read."""

    node: ast.AST
    scope: Scope
    order: int | None


class Names:
    """Looks names up; the evaluator is one of them and decides the tests of `if`."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._chain = 0

    def truth(self, scope: Scope, test: ast.expr, order: int) -> bool | None:
        """Whether a test is known; overridden by the evaluator."""
        return None

    def module_scope(self, module: str) -> Scope | None:
        """The names of a project module; None: a folder without __init__.py, or no Python."""
        file = self.project.modules.get(module)
        tree = self.project.tree(file) if file is not None else None
        return None if tree is None or file is None else self.block_scope(tree, file, module, None)

    def block_scope(self, block: Block, file: str, module: str, parent: Scope | None) -> Scope:
        """The names of a block. A module in a cycle of imports has those that were read so far."""
        scope = self.project.scopes.get(id(block))
        if scope is None:
            scope = self.project.scopes[id(block)] = Scope(block, file, module, parent)
            ScopeReader(scope, self.truth).read()
        return scope

    def inner_scope(self, block: Block, around: Scope) -> Scope:
        """The names of a function or class that stands in `around`."""
        skips = not isinstance(block, ast.ClassDef) and isinstance(around.block, ast.ClassDef)
        return self.block_scope(block, around.file, around.module, around.parent if skips else around)

    def methods(self, node: ast.ClassDef, scope: Scope, depth: int = 0) -> dict[str, Definition]:
        """Methods of a class by name, with the scope of the class that has each; its own first, as `svc` lists them."""
        inside = self.inner_scope(node, scope)
        found = {
            method.name: Definition(inside, method)
            for method in node.body
            if isinstance(method, FUNCTIONS) and _HIDING.isdisjoint(map(last_name, method.decorator_list))
        }
        for base in node.bases if depth < _MOST_BASES else []:
            try:
                symbol = self.lookup(scope, base)
            except Unresolved:
                continue
            if isinstance(symbol, Definition) and isinstance(symbol.node, ast.ClassDef):
                for name, method in self.methods(symbol.node, symbol.scope, depth + 1).items():
                    found.setdefault(name, method)
        return found

    def nodes(self, node: ast.AST, scope: Scope, order: int | None) -> Iterator[Seen]:
        """`node` and all below it; the body of a function has a scope of its own and runs later."""
        yield Seen(node, scope, order)
        body: list[ast.AST] = []
        if isinstance(node, (*FUNCTIONS, ast.Lambda)):
            body = [node.body] if isinstance(node, ast.Lambda) else list(node.body)
            inner = self.inner_scope(node, scope)
            for child in body:
                yield from self.nodes(child, inner, None)
        own = set(map(id, body))
        for child in ast.iter_child_nodes(node):
            if id(child) not in own:
                yield from self.nodes(child, scope, order)

    def lookup(self, scope: Scope, node: ast.expr, order: int | None = None) -> Symbol:
        """The meaning of a Name or Attribute at step `order` of `scope` (None: after all steps). Raises Unresolved."""
        if isinstance(node, ast.Name):
            return self._name(scope, node.id, order)
        if isinstance(node, ast.Attribute):
            return self._member(self.lookup(scope, node.value, order), node.attr)
        raise Unresolved(f"`{shown(node)}` is not a name")

    def _name(self, scope: Scope, name: str, order: int | None) -> Symbol:
        around: Scope | None = scope
        while around is not None:
            found = self._in_scope(around, name, order)
            if found is not None:
                return found
            order = None  # an inner block runs later than most of the block around it
            around = around.parent
        if hasattr(builtins, name):
            return External(f"builtins.{name}")
        raise Unresolved(f"`{name}` is not defined in {scope.file}")

    def _in_scope(self, scope: Scope, name: str, order: int | None) -> Symbol | None:
        found: list[Symbol] = []
        for binding in reversed(scope.names.get(name, [])):
            if order is not None and binding.order >= order:
                continue
            symbol = self._bound(scope, name, binding)
            if not any(same(symbol, other) for other in found):
                found.append(symbol)
            if not binding.conditional:
                break
        if len(found) > 1:
            raise Unresolved(f"`{name}` is set in several branches of {scope.file}")
        if found:
            return found[0]
        return None if name.startswith("_") else self._starred(scope, name)

    def candidates(self, scope: Scope, node: ast.expr) -> list[Symbol]:
        """All that a name of this scope is bound to in some branch, for the question what it might be."""
        found: list[Symbol] = []
        name = node.id if isinstance(node, ast.Name) else ""
        for binding in scope.names.get(name, []):
            try:
                found.append(self._bound(scope, name, binding))
            except Unresolved:
                continue
        return found

    def _starred(self, scope: Scope, name: str) -> Symbol | None:
        for source in reversed(scope.stars):
            place = self.project.locate(source, scope.module)
            if place.kind == "sdk" and name in SDK_NAMES[place.name.partition(".")[0]]:
                return _of_package(place.name, name)
            inner = self.module_scope(place.name) if place.kind == "project" else None
            found = self._deeper(inner, name) if inner is not None else None
            if found is not None:
                return found
        return None

    def _deeper(self, scope: Scope, name: str) -> Symbol | None:
        with self._chained(f"`{name}` is imported in a circle"):
            return self._in_scope(scope, name, None)

    @contextlib.contextmanager
    def _chained(self, problem: str) -> Iterator[None]:
        self._chain += 1
        try:
            if self._chain > _LONGEST_CHAIN:
                raise Unresolved(problem)
            yield
        finally:
            self._chain -= 1

    def _bound(self, scope: Scope, name: str, binding: Binding) -> Symbol:
        node = binding.node
        if isinstance(node, Import):
            return self.imported(node, scope.module)
        if binding.kind == "definition" and isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            return Definition(scope, node)
        if binding.kind == "unknown":
            raise Unresolved(f"`{name}` gets its value when the code runs ({scope.file} line {binding.line})")
        if binding.kind == "value" and isinstance(node, (ast.Name, ast.Attribute)):
            return self._alias(scope, name, binding, node)
        return Value(scope, node, binding.order, name)

    def _alias(self, scope: Scope, name: str, binding: Binding, node: ast.expr) -> Symbol:
        """`E = Endpoint`: the same thing under another name; an attribute of a value is an expression."""
        try:
            with self._chained(f"`{name}` refers to itself"):
                return self.lookup(scope, node, binding.order)
        except ValueAttribute:
            return Value(scope, node, binding.order, name)

    def imported(self, source: Import, module: str) -> Symbol:
        """The symbol that an import in `module` binds. Raises Unresolved."""
        place = self.project.locate(source, module)
        if place.kind not in _LED_TO:
            raise Unresolved(f"the import of {place.name} in {self.project.modules[module]} leads to no module")
        base: Symbol = _LED_TO[place.kind](place.name)
        if source.name is None:
            return base
        # `from . import x` in an __init__.py: the package does not have x before it is imported.
        if place.kind == "project" and place.name == module and self.project.has(f"{module}.{source.name}"):
            return ProjectModule(f"{module}.{source.name}")
        return self._member(base, source.name)

    def _member(self, owner: Symbol, name: str) -> Symbol:
        if isinstance(owner, SdkModule):
            return _of_package(owner.name, name)
        if isinstance(owner, SdkName):
            return SdkMember(owner.name, name)
        if isinstance(owner, External):
            return External(f"{owner.path}.{name}")
        if isinstance(owner, ProjectModule):
            return self._module_member(owner.name, name)
        if isinstance(owner, Definition) and isinstance(owner.node, ast.ClassDef):
            found = self._in_scope(self.inner_scope(owner.node, owner.scope), name, None)
            if found is not None:
                return found
            raise Unresolved(f"the class {owner.node.name} does not set {name}")
        raise ValueAttribute(f"`.{name}` is read when the code runs")

    def _module_member(self, module: str, name: str) -> Symbol:
        scope = self.module_scope(module)
        found = self._deeper(scope, name) if scope is not None else None
        if found is not None:
            return found
        inner = f"{module}.{name}"
        if inner in self.project.modules or inner in self.project.packages:
            return ProjectModule(inner)
        raise Unresolved(f"{self.project.modules.get(module, module)} does not define {name}")


def _of_package(module: str, name: str) -> Symbol:
    if module.partition(".")[0] == APP_PACKAGE:
        known = name in SDK_NAMES[APP_PACKAGE]
        return SdkName(f"{APP_PACKAGE}.{name}") if known else SdkModule(f"{module}.{name}")
    return SdkName(name) if is_sdk_name(name) else SdkModule(f"{module}.{name}")
