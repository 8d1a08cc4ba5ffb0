"""The test of an image: step by step, with the reason of what fails. Source: docs/spec/worker-images.md, 4."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from comfy_worker._failure import Failure
from comfy_worker._input import JobInput
from comfy_worker._job import Context, run_prompt, wait_for_server
from comfy_worker._process import MODEL_FOLDERS, PRESENT_NAMES, has_card
from comfy_worker._prompt import interrupt_prompt, queue_prompt, upload_images
from comfy_worker._refusal import CLASSES_S

IMPORT_LINES = 6
# A PNG of one pixel.
DOT = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class Steps:
    """Results in order. A step that fails ends the test: the next ones would fail for the same reason."""

    def __init__(self, tell: Callable[[Any], None]) -> None:
        self.done: list[dict[str, Any]] = []
        self._tell = tell

    def run(self, name: str, work: Callable[[], str]) -> bool:
        """`work` returns what to show next to a step that passed."""
        started = time.monotonic()
        self._tell({"steps": self.done, "running": name})
        step: dict[str, Any] = {"name": name, "passed": True}
        try:
            step["text"] = work()
        except Failure as failure:
            details = failure.facts.get("details")
            step |= {"passed": False, "text": "\n".join(details) if details else failure.message}
        step["seconds"] = round(time.monotonic() - started, 2)
        self.done.append(step)
        return bool(step["passed"])


def run_steps(job: JobInput, context: Context) -> dict[str, Any]:
    """The output of a job with `test`: {nodes, models, full}. `full` missing: where there is a card or no model."""
    asked = job.test or {}
    steps = Steps(context.progress)
    models = [one for one in asked.get("models") or [] if isinstance(one, dict)]
    missing = [one for one in models if not _is_here(context, one)]
    if asked.get("classes") is True:
        if steps.run("starts", lambda: _start(context, [])):
            classes = context.server.ask_json(context.server.path("object_info"), timeout=CLASSES_S * 6)
            return {"steps": steps.done, "full": False, "object_info": classes}
        return {"steps": steps.done, "full": False}
    full = asked.get("full")
    if not isinstance(full, bool):
        full = has_card() or not models
    output: dict[str, Any] = {}

    def run_graph() -> str:
        output.update(run_prompt(job._replace(test=None), context))
        if output.get("errors"):
            raise Failure("\n".join(output["errors"]))
        count = len(output["images"])
        return f"{count} {'result' if count == 1 else 'results'}"

    if full and missing:
        steps.run("has the models", lambda: _fail(f"{_names(missing)} missing. Mount or bake them, or test without --full"))
    elif (
        steps.run("starts", lambda: _start(context, [] if full else missing))
        and steps.run("loads all node classes", lambda: _check_classes(job, context, asked.get("nodes") or []))
        and steps.run("validates the graph", lambda: _validate(job, context, [] if full else missing))
        and full
    ):
        steps.run("runs the graph", run_graph)
    return {"steps": steps.done, "full": full, "images": output.get("images", [])}


def _fail(text: str) -> str:
    raise Failure(text)


def _names(models: list[dict[str, Any]]) -> str:
    shown = ", ".join(f"{one['folder']}/{one['name']}" for one in models)
    return f"{shown} {'is' if len(models) == 1 else 'are'}"


def _is_here(context: Context, model: dict[str, Any]) -> bool:
    folder, name = str(model.get("folder", "")), str(model.get("name", ""))
    present = PRESENT_NAMES.get(folder, folder)
    folders = [one for one in {folder, *MODEL_FOLDERS} if PRESENT_NAMES.get(one, one) == present]
    roots = [f"{context.settings.home}/models", *context.settings.models]
    return any(Path(root, one, name).is_file() for root in roots for one in folders)


def _start(context: Context, missing: list[dict[str, Any]]) -> str:
    process = context.process
    if process is not None:
        root = process.stand_ins
        for model in missing:
            path = Path(root, str(model["folder"]), str(model["name"]))
            if not path.resolve().is_relative_to(root.resolve()):
                raise Failure(f"The model {model['name']} is outside of the folder of models.")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
    wait_for_server(context)
    stats = context.server.ask_json(context.server.path("system_stats"))
    version = stats.get("system", {}).get("comfyui_version", "of an unknown version")
    device = (stats.get("devices") or [{}])[0].get("name", "no device")
    return f"ComfyUI {version} on {device}"


def _check_classes(job: JobInput, context: Context, packages: list[dict[str, Any]]) -> str:
    classes = context.server.ask_json(context.server.path("object_info"), timeout=CLASSES_S * 6)
    nodes = job.workflow.values() if isinstance(job.workflow, dict) else ()
    wanted = {str(node["class_type"]): None for node in nodes if isinstance(node, dict) and "class_type" in node}
    lines = [] if context.process is None else context.process.lines()
    errors = import_errors(lines)
    owners = {name: str(one.get("name")) for one in packages for name in one.get("classes") or []}
    wanted.update(dict.fromkeys(owners))
    faults = []
    missing = [name for name in wanted if name not in classes]
    for package in dict.fromkeys(owners.get(name) for name in missing):
        names = ", ".join(name for name in missing if owners.get(name) == package)
        if package is None:
            failed = "".join(f"\n{one} could not be imported:\n{words}" for one, words in errors.items())
            faults.append(f"{names}: no package of the image has it.{failed}")
        elif package in errors:
            faults.append(f"{names}: {package} could not be imported:\n{errors[package]}")
        else:
            faults.append(f"{names}: {package} was loaded, but does not have it. Choose another version of it.")
    if faults:
        raise Failure("\n".join(faults))
    unused = [name for name in errors if name not in owners.values()]
    more = f"; could not be imported, but is not needed: {', '.join(unused)}" if unused else ""
    return f"{len(wanted)} classes of the graph, {len(classes)} in all{more}"


def import_errors(lines: list[str]) -> dict[str, str]:
    """The last lines of the error by package, from the log of a start."""
    errors: dict[str, str] = {}
    for at, line in enumerate(lines):
        found = re.match(r"Cannot import (.+) module for custom nodes: (.*)", line)
        if found is None:
            continue
        before = [one for one in lines[max(0, at - IMPORT_LINES) : at] if one.strip()]
        name = Path(found.group(1)).name.removesuffix(".py")
        errors[name] = "\n".join([*before, found.group(2)] if found.group(2) not in "\n".join(before) else before)
    for line in lines:
        found = re.search(r"\(IMPORT FAILED\): (.+)", line)
        if found is not None:
            errors.setdefault(Path(found.group(1).strip()).name.removesuffix(".py"), "see the log of the worker")
    return errors


def _validate(job: JobInput, context: Context, stand_ins: list[dict[str, Any]]) -> str:
    """The server validates a prompt before it queues it; what it queued is taken out again."""
    pictures = _missing_pictures(job, context)
    upload_images(context.server, [*pictures, *job.images], context.check)
    prompt_id, left_out = queue_prompt(context.server, job, "test", None)
    interrupt_prompt(context.server, prompt_id, context.log)
    if left_out:
        raise Failure("\n".join(left_out))
    replaced = [f"{len(stand_ins)} of its models"] if stand_ins else []
    replaced += [f"{len(pictures)} of its pictures"] if pictures else []
    return f"the server accepts it{'; stand-ins for ' + ' and '.join(replaced) if replaced else ''}"


def _missing_pictures(job: JobInput, context: Context) -> list[dict[str, Any]]:
    """Pictures that the graph loads, and that neither the image nor the job has."""
    classes = context.server.ask_json(context.server.path("object_info"), timeout=CLASSES_S * 6)
    given = {one["name"] for one in job.images}
    missing: dict[str, None] = {}
    for node in job.workflow.values() if isinstance(job.workflow, dict) else ():
        facts = classes.get(node.get("class_type"), {}) if isinstance(node, dict) else {}
        for kind in ("required", "optional"):
            for name, spec in facts.get("input", {}).get(kind, {}).items():
                value = node.get("inputs", {}).get(name)
                is_upload = len(spec) > 1 and isinstance(spec[1], dict) and spec[1].get("image_upload") is True
                if is_upload and isinstance(value, str) and isinstance(spec[0], list) and value not in spec[0]:
                    missing[value] = None
    return [{"name": name, "image": DOT} for name in missing if name not in given]
