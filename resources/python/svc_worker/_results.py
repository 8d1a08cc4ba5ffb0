"""The bodies a worker posts, and the check that they are JSON.

Bodies are put together from JSON texts, so that a chunk is encoded once, at the moment it is yielded (the handler may
change the object afterwards), and is not encoded again for an aggregated result.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

# `allow_nan` would write NaN and Infinity, which no JSON reader but Python's accepts.
_ENCODER = json.JSONEncoder(allow_nan=False, separators=(",", ":"))


class Result(NamedTuple):
    """A final body as field -> JSON text."""

    fields: dict[str, str]

    def body(self, *, stop_worker: bool = False) -> bytes:
        """The bytes to post; `stop_worker` asks the service to replace this worker."""
        return _object({**self.fields, "stopPod": "true"} if stop_worker else self.fields)

    @property
    def asks_for_new_worker(self) -> bool:
        """Whether the handler returned `refresh_worker`."""
        return "stopPod" in self.fields


def returned(value: Any) -> Result:
    """A handler's return value.

    In a dict the keys `error` and `refresh_worker` speak to the platform and never reach the output, even when falsy;
    a dict with nothing else in it has no output at all. source: observed behaviour of the public SDK.
    """
    if not isinstance(value, dict):
        return Result({"output": encode(value)})
    fields: dict[str, str] = {}
    rest = {key: item for key, item in value.items() if key not in ("error", "refresh_worker")}
    if error := value.get("error"):
        fields["error"] = json.dumps(error if isinstance(error, str) else encode(error, "output['error']"))
    if rest:
        fields["output"] = encode(rest)
    if value.get("refresh_worker"):
        fields["stopPod"] = "true"
    return Result(fields)


def streamed(chunks: Iterable[str]) -> Result:
    """The end of a stream: all chunks when they are aggregated, otherwise none."""
    return Result({"output": f"[{','.join(chunks)}]"})


def failed(error_text: str) -> Result:
    return Result({"error": json.dumps(error_text)})


def chunk_body(chunk: str) -> bytes:
    """One chunk of a stream, already JSON text."""
    return _object({"output": chunk})


def progress_body(value: Any) -> bytes:
    return _object({"status": '"IN_PROGRESS"', "output": encode(value, "progress value")})


def encode(value: Any, name: str = "output") -> str:
    """JSON text of `value`. Raises TypeError or ValueError that says which part of `name` is to blame."""
    try:
        return _ENCODER.encode(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise _explain(value, name, error) from None


def _object(fields: Mapping[str, str]) -> bytes:
    return ("{" + ",".join(f'"{name}":{text}' for name, text in fields.items()) + "}").encode("ascii")


def _explain(value: Any, name: str, error: Exception) -> Exception:
    try:
        found = _find_culprit(value, name, ())
    except RecursionError:
        found = ValueError(f"{name} is nested too deeply for JSON")
    return found or type(error)(f"{name} cannot be written as JSON: {error}")


def _find_culprit(value: Any, path: str, parents: tuple[int, ...]) -> Exception | None:
    """The first part that JSON cannot hold, in the order in which it would be written."""
    if not isinstance(value, (dict, list, tuple)):
        return _check_leaf(value, path)
    if id(value) in parents:
        return ValueError(f"{path} contains itself, which JSON cannot hold")
    parents = (*parents, id(value))
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if not (key is None or isinstance(key, (str, int, float))):
            return TypeError(f"{path} has the key {key!r} of type {_type_name(key)}; JSON keys are strings")
        if found := _find_culprit(item, f"{path}[{key!r}]", parents):
            return found
    return None


def _check_leaf(value: Any, path: str) -> Exception | None:
    if value is None or isinstance(value, (str, int)):
        return None
    if not isinstance(value, float):
        return TypeError(
            f"{path} is a {_type_name(value)}, which JSON cannot hold; "
            "return only dict, list, str, int, float, bool and None"
        )
    if math.isfinite(value):
        return None
    return ValueError(f"{path} is {value!r}, which JSON cannot hold; return None or a string instead")


def _type_name(value: Any) -> str:
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
