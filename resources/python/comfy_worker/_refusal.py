"""Objections of the server, in the sentences of the public image worker, and their place in the graph."""

from __future__ import annotations

import re
from typing import Any

from comfy_worker._failure import Failure
from comfy_worker._input import is_payload
from comfy_worker._server import Answer, Server

# Limits that keep a server's message readable. source: ours; a node takes about 500 characters.
LINES_MAX, SENTENCE_MAX = 100, 10_000
TEXT_SHOWN = 2000
FAILED = "Workflow validation failed"
# Seconds. source: the public image worker.
CLASSES_S = 10.0


def shown(text: str) -> str:
    return f"{text[:TEXT_SHOWN]} ... ({len(text)} characters)" if len(text) > TEXT_SHOWN else text


def refusal(server: Server, answer: Answer, workflow: Any) -> Failure:
    """The failure for an answer with status 400."""
    text = shown(answer.text)
    try:
        body = answer.json()
    except ValueError:
        body = None
    if not isinstance(body, dict):
        return Failure(f"ComfyUI validation failed (could not parse error response): {text}")
    error, node_errors = body.get("error"), body.get("node_errors")
    message = _message_of(error)[:SENTENCE_MAX]
    lines = [line[:SENTENCE_MAX] for line in _public_lines(node_errors)[:LINES_MAX]]
    if not lines:
        return _blamed(f"{message}. Raw response: {text}", error, workflow)
    faults = node_faults(node_errors)[:LINES_MAX]
    whole = f"{message}:\n" + "\n".join(f"• {line}" for line in lines)
    if any("not in list" in line and "ckpt_name" in line for line in lines):
        whole += f"\n\n{_installed_checkpoints(server)}"
    return Failure(whole, **_place(faults), details=[fault_sentence(fault)[:SENTENCE_MAX] for fault in faults])


def node_faults(node_errors: Any) -> list[dict[str, Any]]:
    """Faults with node, class, input, message and reason."""
    if not isinstance(node_errors, dict):
        return []
    return [
        _read_fault(error, node, facts.get("class_type"))
        for node, facts in node_errors.items()
        if isinstance(facts, dict)
        for error in facts.get("errors") or []
        if isinstance(error, dict)
    ]


def fault_sentence(fault: dict[str, Any]) -> str:
    node, name, field = fault["node"], fault["class"], fault["input"]
    place = f"Node {node}" if name is None else f"{name} ({node})"
    return f"{place}{'' if field is None else f', {field}'}: {fault['message']}"


def hint(workflow: Any) -> str:
    """Says which form to send instead; a server fails on others with a bare 500."""
    if is_payload(workflow):
        return ""
    if isinstance(workflow, dict) and isinstance(workflow.get("nodes"), list):
        return ". The workflow is in the form that the editor saves; export it in API form and send that"
    kinds = {list: "a list", str: "a string", bool: "true or false", int: "a number", float: "a number"}
    kind = kinds.get(type(workflow), "an object without nodes")
    return f". The workflow is {kind}; it must be an object of nodes with class_type and inputs"


def _message_of(error: Any) -> str:
    if error is None:
        return FAILED
    if not isinstance(error, dict):
        return str(error)
    return FAILED if error.get("type") == "prompt_outputs_failed_validation" else str(error.get("message", FAILED))


def _public_lines(node_errors: Any) -> list[str]:
    lines = []
    for node, facts in node_errors.items() if isinstance(node_errors, dict) else ():
        if isinstance(facts, dict):
            lines += [f"Node {node} ({kind}): {said}" for kind, said in facts.items()]
        else:
            lines.append(f"Node {node}: {facts}")
    return lines


def _blamed(message: str, error: Any, workflow: Any) -> Failure:
    extra = error.get("extra_info") if isinstance(error, dict) else None
    told = re.fullmatch(r"Node ID '#(.+)'", str(error.get("details", ""))) if isinstance(error, dict) else None
    node = (extra.get("node_id") if isinstance(extra, dict) else None) or (told.group(1) if told else None)
    if node is None:
        return Failure(message)
    facts = workflow.get(node) if isinstance(workflow, dict) else None
    name = facts.get("class_type") if isinstance(facts, dict) else None
    return Failure(message + hint(workflow)) if name is None else Failure(message, **{"class": name}, node=node)


def _read_fault(error: dict[str, Any], node: str, name: str | None) -> dict[str, Any]:
    extra = error.get("extra_info") if isinstance(error.get("extra_info"), dict) else {}
    field = extra.get("input_name")
    message, details = str(error.get("message", "no message")), str(error.get("details") or "")
    is_new = details not in ("", field) and details not in message
    whole = f"{message}: {details}" if is_new else message
    reason = _reason(error.get("type"), extra) or whole
    return {"node": node, "class": name, "input": field, "message": whole, "reason": reason}


def _reason(kind: Any, extra: dict[str, Any]) -> str | None:
    if kind == "value_not_in_list" and "received_value" in extra:
        return f"the server has no {extra['received_value']} among its choices"
    if kind == "required_input_missing":
        return "it is not connected, and has no value"
    config, got = extra.get("input_config"), extra.get("received_type")
    if kind == "return_type_mismatch" and got and isinstance(config, list) and config and isinstance(config[0], str):
        return f"it takes {config[0]}, and gets {got}"
    return None


def _place(faults: list[dict[str, Any]]) -> dict[str, Any]:
    if not faults:
        return {}
    first = faults[0]
    more = f". The graph has {len(faults)} faults in all" if len(faults) > 1 else ""
    names = {name: first[name] for name in ("node", "class", "input") if first[name] is not None}
    return {**names, "reason": f"{first['reason'][:SENTENCE_MAX]}{more}"}


def _installed_checkpoints(server: Server) -> str:
    try:
        info = server.ask_json(server.path("object_info/CheckpointLoaderSimple"), timeout=CLASSES_S)
        names = [name for name in info["CheckpointLoaderSimple"]["input"]["required"]["ckpt_name"][0]]
    except Exception:
        names = []
    if names:
        return f"Available checkpoint models: {', '.join(names)}"
    return "No checkpoint models appear to be available. Please check your model installation."
