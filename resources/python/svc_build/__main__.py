"""python3 -m svc_build scan PROJECT [--handlers OUT_DIR]: the endpoints of a project as one JSON document."""

from __future__ import annotations

import os
import sys

# `python3 -m` looks for modules in the current folder first. In a project with a json.py that would be the user's code.
sys.path[:] = [folder for folder in sys.path if folder and os.path.abspath(folder) != os.getcwd()]

import argparse  # noqa: E402
import gc  # noqa: E402
import json  # noqa: E402

from svc_build._handlers import write_handlers  # noqa: E402
from svc_build._scan import scan  # noqa: E402


def main(arguments: list[str]) -> int:
    """0 also when the document has errors; 1 for misuse."""
    parser = argparse.ArgumentParser(
        prog="svc_build", description="Find the endpoints of an app by reading its source."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    scanning = commands.add_parser("scan", help="print what was found as JSON")
    scanning.add_argument("project", help="folder of the app")
    scanning.add_argument("--handlers", metavar="OUT_DIR", help="also write one handler file per endpoint there")
    scanning.add_argument(
        "--allow-links-to", metavar="FOLDER", action="append", default=[], help="pack files there that links lead to"
    )
    writing = commands.add_parser("handlers", help="the same as scan with --handlers")
    writing.add_argument("project", help="folder of the app")
    writing.add_argument("handlers", metavar="OUT_DIR", help="folder for the handler files")
    try:
        given = parser.parse_args(arguments)
    except SystemExit as ended:
        return 1 if ended.code else 0
    if not os.path.isdir(given.project):
        print(f"svc_build: {given.project} is not a folder", file=sys.stderr)
        return 1
    # The trees live until the end, and looking for garbage among them takes half of the time.
    gc.disable()
    document = scan(given.project, getattr(given, "allow_links_to", ()))
    # Handlers of an app with errors would only fail later.
    if given.handlers is not None and document["ok"]:
        write_handlers(document, given.handlers)
    print(json.dumps(document))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
