"""Reads a job's input as the public image worker does, with its sentences."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from comfy_worker._failure import Failure


class JobInput(NamedTuple):
    workflow: Any
    images: list[dict[str, Any]]
    comfy_org_key: str | None
    comfy_org_token: str | None
    extra_png_info: dict[str, Any] | None
    wants_previews: bool
    test: dict[str, Any] | None


def read_input(given: Any) -> JobInput:
    """Raises Failure. An input that is a text is read as JSON."""
    if given is None:
        raise Failure("Please provide input")
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            raise Failure("Invalid JSON format in input") from None
    if not isinstance(given, dict):
        raise Failure("'input' must be an object with the key 'workflow'")
    workflow = _workflow_of(given)
    if workflow is None:
        raise Failure("Missing 'workflow' parameter")
    extra, test = given.get("extra_pnginfo"), given.get("test")
    return JobInput(
        workflow,
        _read_images(given.get("images")),
        _text(given, "comfy_org_api_key") or _text(given, "api_key_comfy_org"),
        _text(given, "comfy_org_auth_token"),
        extra if isinstance(extra, dict) else None,
        given.get("previews") is True,
        test if isinstance(test, dict) else None,
    )


def is_payload(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(node, dict) and "class_type" in node for node in value.values())


def _workflow_of(given: dict[str, Any]) -> Any:
    """The graph, perhaps wrapped as in a request to ComfyUI: `{"prompt": {...}}`."""
    workflow = given.get("workflow")
    outer = given if workflow is None else workflow
    if isinstance(outer, dict) and not is_payload(outer) and is_payload(outer.get("prompt")):
        return outer["prompt"]
    return workflow


def _read_images(images: Any) -> list[dict[str, Any]]:
    if images is None:
        return []
    if isinstance(images, list) and all(isinstance(one, dict) and {"name", "image"} <= one.keys() for one in images):
        return images
    raise Failure("'images' must be a list of objects with 'name' and 'image' keys")


def _text(given: dict[str, Any], name: str) -> str | None:
    value = given.get(name)
    return value if isinstance(value, str) and value else None
