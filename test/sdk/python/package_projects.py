"""Prints, for packed-files.test.ts, which files of each project the package packs and svc_build does, as JSON."""

import json
import logging
import sys
import tarfile
from pathlib import Path

from runpod.apps.deploy import package_project
from svc_build._files import ProjectFiles
from svc_build._problems import Problems

logging.disable(logging.CRITICAL)
out = Path(sys.argv[1])
packed = []
for folder in sys.argv[2:]:
    with tarfile.open(package_project(Path(folder), {}, output=out)) as archive:
        theirs = archive.getnames()
    packed.append({"theirs": sorted(theirs), "ours": ProjectFiles(folder, Problems()).files})
print(json.dumps(packed))
