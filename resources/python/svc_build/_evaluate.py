"""The plain value of an expression, without running user code: literals, constants and simple expressions of them.

Other expressions raise Unresolved with the reason. Results are Python values of JSON's kinds, and tuples and sets.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from svc_build._arithmetic import BINARY, BUILTINS, COMPARE, STRING_METHODS, UNARY, bounded
from svc_build._catalog import ALL_MEMBERS, APP_PACKAGE, APP_RECORDS, ENUMS, RECORDS
from svc_build._names import Names
from svc_build._scope import Scope
from svc_build._symbols import Definition, External, Invalid, SdkMember, SdkName, Unresolved, Value, shown

_PLACES = ("DataCenter", f"{APP_PACKAGE}.DataCenter")


class FromEnvironment(Unresolved):
    """The value would come from the environment of the machine that builds."""


# Expressions nested more deeply refer to themselves; also well below Python's own limit of 1000 frames.
_DEEPEST = 120


class Evaluator(Names):
    """Looks up names and evaluates expressions at a step of a scope."""

    _depth = 0

    def truth(self, scope: Scope, test: ast.expr, order: int) -> bool | None:
        if isinstance(test, ast.Compare) and isinstance(test.left, ast.Name) and test.left.id == "__name__":
            return not isinstance(test.ops[0], (ast.Eq, ast.Is))  # workers import the file
        try:
            return bool(self.evaluate(scope, test, order))
        except (Unresolved, Invalid):
            return None

    def evaluate(self, scope: Scope, node: ast.AST, order: int | None = None) -> Any:
        """The value of `node` at step `order`. Raises Unresolved or Invalid."""
        self._depth += 1
        try:
            if self._depth > _DEEPEST:
                raise Unresolved(f"`{shown(node)}` is nested too deeply or refers to itself")
            return bounded(self._evaluate(scope, node, order), shown(node))
        finally:
            self._depth -= 1

    def _evaluate(self, scope: Scope, node: ast.AST, order: int | None) -> Any:
        def value(inner: ast.AST) -> Any:
            return self.evaluate(scope, inner, order)

        if isinstance(node, ast.Constant) and node.value is not ...:
            return node.value
        if isinstance(node, (ast.Name, ast.Attribute)):
            return self._named(scope, node, order)
        if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
            kind: Callable[[list[Any]], Any] = {ast.List: list, ast.Tuple: tuple, ast.Set: set}[type(node)]
            return kind(self._elements(scope, node.elts, order))
        if isinstance(node, ast.Dict):
            result: dict[Any, Any] = {}
            for key, item in zip(node.keys, node.values):
                result.update(value(item) if key is None else {value(key): value(item)})
            return result
        if isinstance(node, ast.JoinedStr):
            return "".join(str(value(part)) for part in node.values)
        if isinstance(node, ast.FormattedValue) and (node.format_spec is None or _is_small(node.format_spec)):
            text = _CONVERSIONS[node.conversion](value(node.value))
            return format(text, value(node.format_spec) if node.format_spec is not None else "")
        if isinstance(node, ast.BinOp) and type(node.op) in BINARY:
            return _try(BINARY[type(node.op)], node, value(node.left), value(node.right))
        if isinstance(node, ast.UnaryOp):
            return _try(UNARY[type(node.op)], node, value(node.operand))
        if isinstance(node, ast.BoolOp):
            return self._either(scope, node, order)
        if isinstance(node, ast.Compare):
            left = value(node.left)
            for operator, right_node in zip(node.ops, node.comparators):
                right = value(right_node)
                if not _try(COMPARE[type(operator)], node, left, right):
                    return False
                left = right
            return True
        if isinstance(node, ast.IfExp):
            return value(node.body) if value(node.test) else value(node.orelse)
        if isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice):
            return self._item(scope, node, order)
        if isinstance(node, ast.Call):
            return self._call(scope, node, order)
        raise Unresolved(f"`{shown(node)}` is not a constant or a simple expression of constants")

    def _elements(self, scope: Scope, nodes: list[ast.expr], order: int | None) -> list[Any]:
        elements: list[Any] = []
        for node in nodes:
            if isinstance(node, ast.Starred):
                elements.extend(_try(list, node, self.evaluate(scope, node.value, order)))
            else:
                elements.append(self.evaluate(scope, node, order))
        return elements

    def _either(self, scope: Scope, node: ast.BoolOp, order: int | None) -> Any:
        """As Python does: stops at the first value that decides, so that `TYPE_CHECKING and x` needs no x."""
        result: Any = None
        for inner in node.values:
            result = self.evaluate(scope, inner, order)
            if bool(result) is isinstance(node.op, ast.Or):
                break
        return result

    def _named(self, scope: Scope, node: ast.Name | ast.Attribute, order: int | None) -> Any:
        try:
            symbol = self.lookup(scope, node, order)
        except Unresolved:
            if isinstance(node, ast.Attribute) and node.attr in ("value", "name"):
                return self._of_own_enum(scope, node, order)
            raise
        if isinstance(symbol, Value):
            return self._changed(symbol) if isinstance(symbol.node, ast.stmt) else self._at(symbol)
        if isinstance(symbol, SdkMember):
            return _enum_value(symbol)
        if isinstance(symbol, External):
            return _external(symbol.path)
        if isinstance(symbol, Definition):
            kind = "class" if isinstance(symbol.node, ast.ClassDef) else "function"
            raise Unresolved(f"`{shown(node)}` is a {kind}")
        if isinstance(symbol, SdkName) and symbol.name == "CPU_DATACENTERS":
            return ["EU-RO-1"]
        # GpuGroup.ADA_24.value: the attribute of a member.
        raise Unresolved(f"`{shown(node)}` is not a value")

    def _at(self, symbol: Value) -> Any:
        try:
            return self.evaluate(symbol.scope, symbol.node, symbol.order)
        except FromEnvironment:
            raise
        except Unresolved as reason:
            line = getattr(symbol.node, "lineno", 1)
            where = f" ({symbol.scope.file} line {line})"
            raise Unresolved(f"{reason}{'' if 'line' in str(reason) else where}") from None

    def _of_own_enum(self, scope: Scope, node: ast.Attribute, order: int | None) -> Any:
        """`Tier.SMALL.value` of a class in the project, `GpuGroup.ADA_24.value`."""
        member = node.value
        if node.attr == "name" and isinstance(member, ast.Attribute):
            self.evaluate(scope, member, order)
            return member.attr
        return self.evaluate(scope, member, order)

    def _changed(self, symbol: Value) -> Any:
        """A list or dict after `x += ...`, `x.append(...)`, `x.extend(...)`, `x.update(...)` or `x[k] = ...`."""
        scope, node, order = symbol.scope, symbol.node, symbol.order
        before = self.evaluate(scope, ast.Name(symbol.name, ast.Load()), order)
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and type(node.op) in BINARY:
            return _try(BINARY[type(node.op)], node, before, self.evaluate(scope, node.value, order))
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript) and isinstance(before, dict):
            key = self.evaluate(scope, node.targets[0].slice, order)
            return {**before, key: self.evaluate(scope, node.value, order)}
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and not node.value.keywords:
            arguments = self._elements(scope, node.value.args, order)
            method = node.value.func.attr if isinstance(node.value.func, ast.Attribute) else ""
            if len(arguments) == 1 and (type(before), method) in _GROWING:
                return _try(_GROWING[type(before), method], node, before, arguments[0])
        raise Unresolved(f"`{shown(node)}` changes it ({scope.file} line {getattr(node, 'lineno', 1)})")

    def _item(self, scope: Scope, node: ast.Subscript, order: int | None) -> Any:
        if isinstance(node.value, (ast.Name, ast.Attribute)):
            owner = self.lookup(scope, node.value, order) if _is_dotted(node.value) else None
            if isinstance(owner, SdkName) and owner.name in ENUMS:
                return _enum_value(SdkMember(owner.name, str(self.evaluate(scope, node.slice, order))))
        container = self.evaluate(scope, node.value, order)
        index = self.evaluate(scope, node.slice, order)
        return _try(lambda: container[index], node)

    def _call(self, scope: Scope, node: ast.Call, order: int | None) -> Any:
        if isinstance(node.func, ast.Attribute) and node.func.attr in STRING_METHODS:
            owner = self._text_or_none(scope, node.func.value, order)
            if owner is not None:
                arguments = self._elements(scope, node.args, order)
                return _try(getattr(owner, node.func.attr), node, *arguments)
        called = self.lookup(scope, node.func, order) if isinstance(node.func, (ast.Name, ast.Attribute)) else None
        if isinstance(called, External):
            name = called.path.removeprefix("builtins.")
            if name not in BUILTINS:
                return _external(called.path, call=True)
            arguments = self._elements(scope, node.args, order)
            named = {word.arg: self.evaluate(scope, word.value, order) for word in node.keywords if word.arg}
            if len(named) == len(node.keywords):
                return _try(BUILTINS[name], node, *arguments, **named)
        if isinstance(called, SdkName) and called.name in APP_RECORDS:
            named = {word.arg: self.evaluate(scope, word.value, order) for word in node.keywords if word.arg}
            return _made(called.name, self._elements(scope, node.args, order), named, node)
        if isinstance(called, SdkName) and called.name in RECORDS:
            return self._record(called.name, scope, node, order)
        if isinstance(called, SdkName) and called.name in ENUMS and len(node.args) == 1:
            return _enum_of(called.name, self.evaluate(scope, node.args[0], order))
        if isinstance(called, SdkMember) and called.name == "all" and called.owner in ALL_MEMBERS:
            return list(ALL_MEMBERS[called.owner])
        if isinstance(called, SdkMember) and called.name == "from_string" and called.owner in _PLACES and node.args:
            text = str(self.evaluate(scope, node.args[0], order))
            return _enum_of(called.owner, text.strip().upper().replace("_", "-"))
        raise Unresolved(f"`{shown(node)}` is a call")

    def _text_or_none(self, scope: Scope, node: ast.expr, order: int | None) -> str | None:
        try:
            value = self.evaluate(scope, node, order)
        except FromEnvironment:
            raise
        except Unresolved:
            return None
        return value if isinstance(value, str) else None

    def _record(self, name: str, scope: Scope, node: ast.Call, order: int | None) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        if node.args:
            raise Invalid(f"fields with names: {name}({RECORDS[name][0]}=...)")
        for word in node.keywords:
            value = self.evaluate(scope, word.value, order)
            given = value if word.arg is None else {word.arg: value}
            for field, content in given.items():
                if field not in RECORDS[name]:
                    raise Invalid(f"{name} with the fields {', '.join(RECORDS[name])}, not {field}")
                fields[field] = content
        return fields


def _enum_value(member: SdkMember) -> str:
    """The value of GpuGroup.ADA_24. Raises Invalid for a member that does not exist."""
    members = ENUMS.get(member.owner)
    if members is None:
        raise Unresolved(f"`{member.owner}.{member.name}` is not a constant")
    if member.name not in members:
        raise Invalid(f"one of {', '.join(f'{member.owner}.{name}' for name in members)}")
    return members[member.name]


def _enum_of(owner: str, value: Any) -> str:
    """The value of `GpuType("NVIDIA L4")`."""
    if owner not in ENUMS or value not in ENUMS[owner].values():
        raise Invalid(f"one of {', '.join(ENUMS.get(owner, {}).values())}")
    return str(value)


def _made(name: str, positions: list[Any], named: dict[str, Any], node: ast.Call) -> Any:
    """The value of a record of an app."""
    if len(named) < len(node.keywords):
        raise Unresolved(f"`{shown(node)}` has arguments with stars")
    try:
        return APP_RECORDS[name](*positions, **named)
    except TypeError as error:
        raise Invalid(f"{name}(...) as the package has it: {error}") from None


def _external(path: str, call: bool = False) -> Any:
    if path in ("typing.TYPE_CHECKING", "typing_extensions.TYPE_CHECKING"):
        return False
    if path == "os.getenv" or path.partition(".environ")[0] == "os":
        raise FromEnvironment(f"{path}{'()' if call else ''} is read on the machine that builds")
    name = path.removeprefix("builtins.")
    raise Unresolved(f"`{name}{'()' if call else ''}` is not part of the project")


def _try(function: Callable[..., Any], node: ast.AST, *arguments: Any, **named: Any) -> Any:
    try:
        return function(*arguments, **named)
    except Exception as error:
        raise Unresolved(f"`{shown(node)}` raises {type(error).__name__}: {error}") from None


def _is_dotted(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) or (isinstance(node, ast.Attribute) and _is_dotted(node.value))


def _is_small(spec: ast.expr) -> bool:
    """No width that would make a text of gigabytes."""
    return not any(len(run) > 3 for run in "".join(c if c.isdigit() else " " for c in ast.unparse(spec)).split())


_CONVERSIONS: dict[int, Callable[[Any], Any]] = {-1: lambda value: value, 115: str, 114: repr, 97: ascii}

_GROWING: dict[tuple[type, str], Callable[[Any, Any], Any]] = {
    (list, "append"): lambda before, item: [*before, item],
    (list, "extend"): lambda before, items: [*before, *items],
    (dict, "update"): lambda before, items: {**before, **items},
    (set, "add"): lambda before, item: {*before, item},
    (set, "update"): lambda before, items: {*before, *items},
}
