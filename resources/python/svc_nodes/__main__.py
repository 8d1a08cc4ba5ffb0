"""python3 -m svc_nodes FOLDER: the node classes of a ComfyUI package as JSON."""

from __future__ import annotations

import os
import sys

# `python3 -m` looks for modules in the current folder first, which may be the package with a json.py of its own.
sys.path[:] = [folder for folder in sys.path if folder and os.path.abspath(folder) != os.getcwd()]

import json  # noqa: E402

from svc_nodes._classes import read_package  # noqa: E402


def main(arguments: list[str]) -> int:
    if len(arguments) != 1 or not os.path.isdir(arguments[0]):
        print("usage: python3 -m svc_nodes FOLDER", file=sys.stderr)
        return 1
    classes, complete = read_package(arguments[0])
    print(json.dumps({"classes": sorted(classes), "complete": complete}))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
