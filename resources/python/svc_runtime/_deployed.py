"""Deployed mode: an artifact with sources, the folder `env` of packages and `runpod_manifest.json`."""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Mapping
from typing import Any

from svc_runtime._configure import configure
from svc_runtime._handles import find_handle
from svc_runtime._packages import import_hint, report_missing
from svc_runtime._start import StartError

# Where artifacts are in the platform's images. source: the public package, which says so of its builds.
_APP_FOLDER = "/app"
_MANIFEST = "runpod_manifest.json"
_PACKAGES = "env"


def load_deployed(env: Mapping[str, str], *kinds: str) -> tuple[str, Any]:
    """The name of the resource that the environment names, and its handle. The artifact becomes the current folder.

    Raises StartError when the resource is of another kind, or its module does not import.
    """
    name = env.get("FLASH_RESOURCE_NAME") or env.get("RUNPOD_RESOURCE_NAME")
    if not name:
        raise StartError("no resource is named: FLASH_RESOURCE_NAME and RUNPOD_DEV_RESOURCE are not set")
    folder = os.path.abspath(env.get("RUNPOD_APP_DIR") or _APP_FOLDER)
    manifest = _read_manifest(os.path.join(folder, _MANIFEST))
    resource = _resource(manifest, name, folder)
    kind = str(resource.get("kind"))
    if kind not in kinds:
        raise StartError(f'"{name}" is a resource of kind {kind}, and this worker runs kind {kinds[0]}')
    _enter(folder)
    configure(env)
    report_missing(resource.get("systemDependencies") or ())
    try:
        module = importlib.import_module(resource["module"])
    except BaseException as error:  # also SystemExit: a module may not end the worker without a word
        left_out = manifest.get("excludedPackages") or ()
        hint = import_hint(error, left_out=left_out, built_for=manifest.get("pythonVersion"))
        told = f"{type(error).__name__}: {error}{hint}"
        raise StartError(f'module "{resource["module"]}" of resource "{name}" does not import: {told}') from error
    handle = find_handle(module, name)
    if handle is None:
        raise StartError(
            f'module "{resource["module"]}" declares no resource "{name}", which the app was built with: '
            "deploy it again"
        )
    # Functions of an app call each other by its name: this is the one under which it was deployed.
    if (deployed_as := env.get("SVC_APP")) and (app := getattr(handle, "_app", None)) is not None:
        app.name = deployed_as
    return name, handle


def _resource(manifest: dict[str, Any], name: str, folder: str) -> dict[str, Any]:
    resources = [one for one in manifest.get("resources") or [] if isinstance(one, dict)]
    found = next((one for one in resources if one.get("name") == name), None)
    if found is None:
        known = ", ".join(str(one.get("name")) for one in resources) or "none"
        raise StartError(f'the app in {folder} has no resource "{name}"; it has {known}')
    if not isinstance(found.get("module"), str) or not found["module"]:
        raise StartError(f'the manifest in {folder} does not say which module resource "{name}" is in')
    return found


def _read_manifest(path: str) -> dict[str, Any]:
    try:
        with open(path, encoding="utf-8") as file:
            manifest = json.load(file)
    except FileNotFoundError:
        raise StartError(f"there is no app: {path} does not exist") from None
    except (OSError, ValueError) as error:
        raise StartError(f"{path} cannot be read: {error}") from None
    if not isinstance(manifest, dict):
        raise StartError(f"{path} is no manifest: it must be an object")
    return manifest


def _enter(folder: str) -> None:
    """The app's own modules first, then its packages, here and in processes that the user's code starts."""
    own = [folder, os.path.join(folder, _PACKAGES)]
    sys.path[:0] = own
    inherited = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([*own, *([inherited] if inherited else [])])
    os.chdir(folder)
