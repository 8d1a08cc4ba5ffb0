"""An import that fails because the build leaves the package to images says how to mend it."""

import json
import os
import sys
import tempfile
import unittest
from pathlib import Path

from svc._left_out import explain

MEND = f"Builds leave it to images; for a process: {sys.executable} -m pip install"


def explained(name: str) -> str:
    error = ModuleNotFoundError(f"No module named {name!r}", name=name)
    explain(error)
    explain(error)
    return str(error)


class LeftOut(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)
        self.manifest = Path(folder.name, "svc_manifest.json")
        self.manifest.write_text(json.dumps({"image_requirements": ["numpy>=1", "Pillow"]}))

    def test_names_the_package_and_the_line_once(self) -> None:
        self.assertEqual(explained("numpy.linalg"), f"No module named 'numpy.linalg'. {MEND} 'numpy>=1'")
        self.assertEqual(explained("PIL"), f"No module named 'PIL'. {MEND} Pillow")

    def test_leaves_other_errors_as_they_are(self) -> None:
        self.assertEqual(explained("somewhere"), "No module named 'somewhere'")
        explain(ValueError("numpy"))
        self.manifest.write_text("{")
        self.assertEqual(explained("numpy"), "No module named 'numpy'")
        self.manifest.unlink()
        self.assertEqual(explained("numpy"), "No module named 'numpy'")


if __name__ == "__main__":
    unittest.main()
