"""Says what to do about a package that builds leave to images, where a worker as a process finds it missing."""

from __future__ import annotations

import json
import re
import shlex
import sys
from typing import Any

from svc._context import manifest_files

# Modules that are not called as their package is.
_PACKAGES = {
    "PIL": "pillow",
    "cv2": "opencv-python",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "yaml": "pyyaml",
}
_MENDED = "Builds leave "


def explain(error: BaseException) -> None:
    """Add the line that mends it to the message of an import that failed; other errors stay as they are."""
    if not isinstance(error, ModuleNotFoundError) or not error.name or _MENDED in str(error):
        return
    module = error.name.partition(".")[0]
    wanted = [text for text in _left_out() if _plain(_name(text)) == _plain(_PACKAGES.get(module, module))]
    if wanted:
        install = " ".join(shlex.quote(text) for text in wanted)
        error.msg = f"{error.msg}. {_MENDED}it to images; for a process: {sys.executable} -m pip install {install}"


def _left_out() -> list[str]:
    for path in manifest_files(None):
        try:
            found: Any = json.loads(path.read_text(encoding="utf-8"))["image_requirements"]
        except (OSError, ValueError, KeyError, TypeError):
            continue
        return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []
    return []


def _name(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    return found.group() if found else ""


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
