"""Prints, for refused-apps.test.ts, why the package refuses each program and why svc_build does, as JSON.

The programs are the JSON list of sources on standard input.
"""

import json
import logging
import sys
import tempfile
from pathlib import Path

from runpod.apps.deploy import build_manifest
from runpod.apps.discovery import DiscoveryError, discover_apps
from runpod.apps.errors import AppError
from svc_build._scan import scan

logging.disable(logging.CRITICAL)


def theirs(file: Path) -> str | None:
    try:
        for app in discover_apps(file):
            build_manifest(app, file.parent)
    except DiscoveryError as error:
        return str(error).removeprefix(f"importing {file} failed: ")
    except AppError as error:
        return str(error)
    return None


answers = []
for source in json.load(sys.stdin):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder).resolve() / "main.py"
        file.write_text(source)
        document = scan(str(file.parent))
        ours = [problem["message"] for problem in document["errors"]]
        warned = [problem["code"] for problem in document["warnings"]]
        answers.append({"theirs": theirs(file), "ours": ours, "warned": warned})
print(json.dumps(answers))
