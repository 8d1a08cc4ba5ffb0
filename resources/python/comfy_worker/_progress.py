"""The progress of a prompt from the messages of the server. Source: docs/spec/image-workflows.md, 5."""

from __future__ import annotations

import base64
import json
import struct
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

PICTURE, PICTURE_WITH_FACTS, PNG = 1, 4, 2


class Preview(NamedTuple):
    node: str | None
    prompt_id: str | None
    kind: str
    picture: bytes


def read_preview(data: bytes) -> Preview | None:
    """A binary message; None unless it is a picture."""
    if len(data) < 8:
        return None
    kind, second = struct.unpack(">II", data[:8])
    if kind == PICTURE:
        return Preview(None, None, "image/png" if second == PNG else "image/jpeg", data[8:])
    if kind != PICTURE_WITH_FACTS or second > len(data) - 8:
        return None
    try:
        facts = json.loads(data[8 : 8 + second])
    except ValueError:
        return None
    node = facts.get("display_node_id") or facts.get("node_id")
    media = "image/png" if facts.get("image_type") == "image/png" else "image/jpeg"
    return Preview(node, facts.get("prompt_id"), media, data[8 + second :])


class Progress:
    """Reports the newest value, at most once per span, since clients that poll see only the last one."""

    def __init__(
        self,
        nodes: Iterable[str],
        prompt_id: str,
        *,
        every_s: float,
        preview_bytes: int,
        tell: Callable[[Any], None],
    ) -> None:
        self._known, self._prompt_id = set(nodes), prompt_id
        self._every_s, self._preview_bytes, self._tell = every_s, preview_bytes, tell
        self.node: str | None = None
        self._step: int | float | None = None
        self._steps: int | float | None = None
        self._done: dict[str, None] = {}
        self._cached: list[str] = []
        self._tells_states = False
        self._preview: dict[str, str] | None = None
        self._told_at = float("-inf")
        self._is_new = False

    def value(self) -> dict[str, Any]:
        return {
            **({} if self.node is None else {"node": self.node}),
            **({} if self._step is None else {"step": self._step, "steps": self._steps}),
            "done": list(self._done),
            **({"cached": self._cached} if self._cached else {}),
            **({} if self._preview is None else {"preview": self._preview}),
        }

    def take(self, kind: str, data: dict[str, Any]) -> None:
        if data.get("prompt_id") not in (None, self._prompt_id):
            return
        before = self.value()
        if kind == "execution_cached":
            found = self._finish(data.get("nodes") or [])
            self._cached += found
        elif kind == "executing":
            self._enter(data.get("display_node") or data.get("node"))
        elif kind == "executed":
            self._finish([data.get("display_node") or data.get("node")])
        elif kind == "progress":
            self._at_step(data.get("node") or self.node, data)
        elif kind == "progress_state":
            self._take_states(data.get("nodes"))
        self._is_new = self._is_new or self.value() != before

    def take_preview(self, preview: Preview) -> None:
        node = preview.node or self.node
        if node is None or preview.prompt_id not in (None, self._prompt_id):
            return
        if len(preview.picture) <= self._preview_bytes:
            self._preview = {
                "node": node,
                "data": f"data:{preview.kind};base64,{base64.b64encode(preview.picture).decode()}",
            }
            self._is_new = True

    def tell_if_due(self) -> None:
        now = time.monotonic()
        if self._is_new and now - self._told_at >= self._every_s:
            self._is_new, self._told_at = False, now
            self._tell(self.value())

    def _enter(self, node: str | None) -> None:
        if node == self.node:
            return
        # Older servers run one node at a time and report only its start: the node before has ended.
        if not self._tells_states:
            self._finish([self.node])
        self.node, self._step, self._steps = node, None, None

    def _finish(self, nodes: Iterable[str | None]) -> list[str]:
        added = [node for node in nodes if node in self._known and node not in self._done]
        self._done.update(dict.fromkeys(added))
        return added

    def _at_step(self, node: str | None, data: dict[str, Any]) -> None:
        step, steps = data.get("value"), data.get("max")
        is_number = isinstance(step, (int, float)) and isinstance(steps, (int, float))
        if node is not None and is_number and steps > 1:
            self.node, self._step, self._steps = node, step, steps

    def _take_states(self, nodes: Any) -> None:
        if not isinstance(nodes, dict):
            return
        self._tells_states = True
        for node, state in nodes.items():
            if not isinstance(state, dict):
                continue
            shown = state.get("display_node_id") or node
            if state.get("state") == "finished" and shown == node:
                self._finish([node])
            if state.get("state") == "running":
                self._at_step(shown, state)
