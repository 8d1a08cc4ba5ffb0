"""The arguments of one `Endpoint(...)` or `@app.queue(...)` call as plain, checked values."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from svc_build._evaluate import Evaluator, FromEnvironment
from svc_build._parameters import NEVER_NONE, ParameterTable
from svc_build._problems import Problems
from svc_build._scope import Scope
from svc_build._symbols import Invalid, Refused, Unresolved


@dataclass(frozen=True)
class SettingsReader:
    """Reads a call; every problem is recorded, and the parameter is then absent from the settings.

    `what` names the endpoint in messages, `resource` in those of the package; `table`: what the call takes.
    """

    evaluator: Evaluator
    problems: Problems
    scope: Scope
    order: int | None
    what: str
    table: ParameterTable
    resource: str | None = None

    def read(self, call: ast.Call) -> tuple[dict[str, Any], dict[str, int]]:
        """The settings, and the line of each."""
        settings: dict[str, Any] = {}
        lines: dict[str, int] = {}
        if len(call.args) > 1 and self.table.position is not None:
            self._report("too-many-positions", call.lineno, count=len(call.args))
        if call.args and self.table.position is None:
            words = f"{self.table.function}() takes 1 positional argument but {len(call.args) + 1} were given"
            self._report("refused", call.lineno, words=words)
        for parameter, node, line in self._given(call):
            if parameter in lines:
                self._report("repeated-parameter", line, parameter=parameter)
            elif parameter not in self.table.checks and self.table.position is None:
                words = f"{self.table.function}() got an unexpected keyword argument '{parameter}'"
                self._report("refused", line, parameter=parameter, words=words)
            elif parameter not in self.table.checks:
                self._report("unknown-parameter", line, parameter=parameter, hint=_hint(parameter, self.table))
            else:
                settings.update(self._checked(parameter, node, line))
            lines[parameter] = line
        return settings, lines

    def _given(self, call: ast.Call) -> Iterator[tuple[str, ast.AST, int]]:
        """Each argument as parameter, expression and line; `**SETTINGS` is opened, its values are plain already."""
        for argument in call.args[:1] if self.table.position is not None else []:
            yield self.table.position or "", argument, argument.lineno
        for word in call.keywords:
            if word.arg is not None:
                yield word.arg, word.value, word.lineno
                continue
            try:
                opened = self._value(word.value)
            except (Unresolved, Invalid) as reason:
                self._unresolved("**", reason, word.value.lineno)
                continue
            for name, value in opened.items() if isinstance(opened, dict) else ():
                yield str(name), _Plain(value), word.value.lineno

    def _checked(self, parameter: str, node: ast.AST, line: int) -> dict[str, Any]:
        """The setting; empty where it is wrong or None."""
        where = parameter
        value: Any = None
        try:
            if parameter == "env" and isinstance(node, ast.Dict):
                value = {}
                for key, item in zip(node.keys, node.values):
                    where = "env"
                    if key is None:
                        value.update(self._value(item))
                        continue
                    name = self._value(key)
                    where = f'env["{name}"]'
                    value[name] = self._value(item)
                where = "env"
            else:
                value = self._value(node)
            if value is not None or parameter in NEVER_NONE:
                return {parameter: plain(self.table.checks[parameter](value))}
        except Unresolved as reason:
            self._unresolved(where, reason, line)
        except Refused as words:
            start = f"resource '{self.resource}': " if words.names_resource else ""
            self._report("refused", line, parameter=where, words=f"{start}{words}")
        except Invalid as allowed:
            shown = repr(value) if isinstance(node, _Plain) or value is not None else ast.unparse(node)
            self._report("invalid-value", line, parameter=where, value=_short(shown), allowed=allowed)
        return {}

    def _value(self, node: ast.AST) -> Any:
        return node.value if isinstance(node, _Plain) else self.evaluator.evaluate(self.scope, node, self.order)

    def _unresolved(self, parameter: str, reason: Exception, line: int) -> None:
        way_out = "Write the value itself or a constant of a project file."
        if isinstance(reason, FromEnvironment):
            way_out = "Write the value itself."
            if parameter.startswith('env["'):
                way_out = f"Remove the line and set it where it runs: drydock env set {parameter[5:-2]}=VALUE."
        self._report("unresolved-value", line, parameter=parameter, reason=reason, way_out=way_out)

    def _report(self, code: str, line: int, **data: Any) -> None:
        self.problems.add(code, self.scope.file, line, what=self.what, **data)


class _Plain(ast.AST):
    """A value that needs no evaluation."""

    def __init__(self, value: Any) -> None:
        self.value = value


def plain(value: Any) -> Any:
    """`value` as JSON has it. Raises Unresolved for what JSON has not."""
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=repr)
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: plain(item) for key, item in value.items()}
    raise Unresolved(f"{_short(repr(value))} has no form in JSON")


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}..."


def _hint(parameter: str, table: ParameterTable) -> str:
    close = difflib.get_close_matches(parameter, table.checks, n=1, cutoff=0.6)
    meant = table.older.get(parameter) or (close[0] if close else None)
    return f" Did you mean {meant}?" if meant else f" There are {', '.join(table.checks)}."
