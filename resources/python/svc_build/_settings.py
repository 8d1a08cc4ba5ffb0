"""The arguments of one `Endpoint(...)` or `@app.queue(...)` call as plain, checked values."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Iterator
from typing import Any

from svc_build._evaluate import Evaluator, FromEnvironment
from svc_build._parameters import ENDPOINT, NEVER_NONE, ParameterTable
from svc_build._problems import Problems
from svc_build._scope import Scope
from svc_build._symbols import Invalid, Unresolved

_WRITE_IT = "Write the value itself or a constant of a project file."


class SettingsReader:
    """Reads calls; every problem is recorded, and the parameter is then absent from the settings."""

    def __init__(self, evaluator: Evaluator, problems: Problems) -> None:
        self._evaluator = evaluator
        self._problems = problems

    def read(
        self, call: ast.Call, scope: Scope, order: int | None, what: str, table: ParameterTable = ENDPOINT
    ) -> tuple[dict[str, Any], dict[str, int]]:
        """The settings, and the line of each. `what` names the endpoint in messages; `table`: what the call takes."""
        settings: dict[str, Any] = {}
        lines: dict[str, int] = {}
        if len(call.args) > 1 and table.position is not None:
            self._problems.add("too-many-positions", scope.file, call.lineno, what=what, count=len(call.args))
        if call.args and table.position is None:
            self._problems.add("no-positions", scope.file, call.lineno, what=what)
        for parameter, node, line in self._given(call, scope, order, what, table.position):
            if parameter in lines:
                self._problems.add("repeated-parameter", scope.file, line, parameter=parameter, what=what)
            elif parameter not in table.checks:
                hint = _hint(parameter, table)
                self._problems.add("unknown-parameter", scope.file, line, parameter=parameter, what=what, hint=hint)
            else:
                self._read_one(settings, parameter, node, scope, order, line, what, table)
            lines[parameter] = line
        return settings, lines

    def _given(
        self, call: ast.Call, scope: Scope, order: int | None, what: str, position: str | None
    ) -> Iterator[tuple[str, ast.AST | Any, int]]:
        """Each argument as parameter, expression and line; `**SETTINGS` is opened, its values are plain already."""
        for argument in call.args[:1] if position is not None else []:
            yield position or "", argument, argument.lineno
        for word in call.keywords:
            if word.arg is not None:
                yield word.arg, word.value, word.lineno
                continue
            try:
                opened = self._evaluator.evaluate(scope, word.value, order)
            except (Unresolved, Invalid) as reason:
                self._unresolved("**", what, reason, scope.file, word.value.lineno)
                continue
            for name, value in opened.items() if isinstance(opened, dict) else ():
                yield str(name), _Plain(value), word.value.lineno

    def _read_one(
        self,
        settings: dict[str, Any],
        parameter: str,
        node: ast.AST | Any,
        scope: Scope,
        order: int | None,
        line: int,
        what: str,
        table: ParameterTable,
    ) -> None:
        where = parameter
        value: Any = None
        try:
            if parameter == "env" and isinstance(node, ast.Dict):
                value = {}
                for key, item in zip(node.keys, node.values):
                    where = "env"
                    if key is None:
                        value.update(self._evaluator.evaluate(scope, item, order))
                        continue
                    name = self._evaluator.evaluate(scope, key, order)
                    where = f'env["{name}"]'
                    value[name] = self._evaluator.evaluate(scope, item, order)
                where = "env"
            else:
                value = node.value if isinstance(node, _Plain) else self._evaluator.evaluate(scope, node, order)
            if value is not None or parameter in NEVER_NONE:
                settings[parameter] = plain(table.checks[parameter](value))
        except Unresolved as reason:
            self._unresolved(where, what, reason, scope.file, line)
        except Invalid as allowed:
            shown = ast.unparse(node) if isinstance(node, ast.AST) and value is None else repr(value)
            self._problems.add(
                "invalid-value", scope.file, line, parameter=where, what=what, value=_short(shown), allowed=allowed
            )

    def _unresolved(self, parameter: str, what: str, reason: Exception, file: str, line: int) -> None:
        way_out = _WRITE_IT
        if isinstance(reason, FromEnvironment):
            way_out = "Write the value itself."
            if parameter.startswith('env["'):
                variable = parameter[5:-2]
                way_out = f"Remove the line and set it where it runs: drydock env set {variable}=VALUE."
        self._problems.add(
            "unresolved-value", file, line, parameter=parameter, what=what, reason=reason, way_out=way_out
        )


class _Plain:
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
    return f" Is {meant} meant?" if meant else f" There are {', '.join(table.checks)}."
