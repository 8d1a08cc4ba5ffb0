"""Which endpoints a function reaches: through names it uses, also through plain functions of the project that it uses.

Names count and not only calls, because `asyncio.gather(*map(resize, images))` calls resize too.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from svc_build._endpoints import EndpointObject, EndpointTable
from svc_build._scope import Scope
from svc_build._symbols import Definition, Unresolved


class RemoteCalls:
    """`owners` maps the node of every decorated function to its endpoint."""

    def __init__(self, table: EndpointTable, endpoints: Iterable[EndpointObject]) -> None:
        self._table = table
        self._owners = {
            id(target.node): endpoint for endpoint in endpoints for target in endpoint.targets + endpoint.routes
        }

    def owner(self, definition: Definition) -> EndpointObject | None:
        """The endpoint that runs a function; None: a plain function."""
        return self._owners.get(id(definition.node))

    def of(self, endpoint: EndpointObject, scopes: dict[str, Scope]) -> tuple[bool, list[str]]:
        """Whether workers of `endpoint` call others, and the names of the functions (of an image: the endpoint)."""
        called: set[str] = set()
        calls = False
        waiting = [Definition(scopes[target.file], target.node) for target in endpoint.targets + endpoint.routes]
        seen: set[int] = set()
        while waiting:
            definition = waiting.pop()
            if id(definition.node) in seen:
                continue
            seen.add(id(definition.node))
            for found in self._used(definition):
                if isinstance(found, EndpointObject):
                    if found.client_mode is not None:
                        calls = True
                        called.update([found.name] if found.client_mode == "image" and found.name else [])
                    continue
                owner = self.owner(found)
                if owner is None or owner is endpoint:
                    waiting.append(found)
                else:
                    calls = True
                    called.add(found.node.name)
        return calls, sorted(called)

    def _used(self, definition: Definition) -> list[Definition | EndpointObject]:
        """The functions, classes and endpoint objects that a body names."""
        found: list[Definition | EndpointObject] = []
        evaluator = self._table.evaluator
        for node, scope, order in evaluator.nodes(definition.node, definition.scope, None):
            if node is definition.node:
                continue
            try:
                if isinstance(node, (ast.Name, ast.Attribute, ast.Call)):
                    call = self._table.call_of(scope, node, order)
                    if call is not None:
                        found.append(self._table.known(call.call) or _client(scope))
                        continue
                if isinstance(node, (ast.Name, ast.Attribute)):
                    symbol = evaluator.lookup(scope, node, order)
                    if isinstance(symbol, Definition):
                        found.append(symbol)
            except Unresolved:
                continue
        return found


def _client(scope: Scope) -> EndpointObject:
    """`Endpoint(id=...)` in the function itself."""
    return EndpointObject(scope.file, scope.module, 1, None, lines={"id": 1})
