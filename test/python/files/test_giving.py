"""Trees that one store gives to another one, each as a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from typing import IO, Any

from storing import StoreTest, line, sha256

CODE, LARGE = b"print(1)\n", bytes(range(256)) * 5000


class Giving(StoreTest):
    def setUp(self) -> None:
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.there = Path(folder.name)

    def give(self, tree: str) -> list[dict[str, Any]]:
        """Join the two. Returns what the giving one says of itself."""
        giving = self.process("give", self.folder, tree)
        taking = self.process("receive", self.there)
        both = [
            threading.Thread(target=copy, args=(giving.stdout, taking.stdin)),
            threading.Thread(target=copy, args=(taking.stdout, giving.stdin)),
        ]
        for half in both:
            half.start()
        said = giving.stderr.read() if giving.stderr else b""
        for half in both:
            half.join()
        return [json.loads(one) for one in said.splitlines()]

    def process(self, command: str, folder: Path, *argv: str) -> subprocess.Popen[bytes]:
        pipes: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
        made = subprocess.Popen([sys.executable, "-m", "svc_files", command, str(folder), *argv], **pipes)

        def end() -> None:
            made.wait()
            for stream in (made.stdin, made.stdout, made.stderr):
                if stream is not None:
                    stream.close()

        self.addCleanup(end)
        return made

    def test_a_tree_is_there_as_it_is_here(self) -> None:
        manifest = line("a/run", CODE, executable=True) + line("b", LARGE) + line("empty", b"")
        tree = self.send(manifest, CODE, LARGE, b"").name
        self.assertEqual(self.give(tree)[-1], {"given": tree})
        there = self.there / "trees" / tree
        self.assertEqual((there / "b").read_bytes(), LARGE)
        self.assertEqual((there / "a" / "run").stat().st_mode & 0o777, 0o755)
        self.assertEqual(json.loads((self.there / "trees" / f"{tree}.json").read_text()), {"owner": "an endpoint"})

    def test_goes_once_and_says_how_far_it_is(self) -> None:
        tree = self.send(line("b", LARGE), LARGE).name
        self.assertEqual(self.give(tree)[-2], {"sent": len(LARGE), "of": len(LARGE)})
        self.assertEqual(self.give(tree), [{"given": tree}])

    def test_goes_on_where_it_broke(self) -> None:
        tree = self.send(line("b", LARGE), LARGE).name
        (self.there / "incoming").mkdir()
        (self.there / "incoming" / sha256(LARGE)).write_bytes(LARGE[:1_000_000])
        rest = len(LARGE) - 1_000_000
        self.assertEqual(self.give(tree)[-2:], [{"sent": rest, "of": rest}, {"given": tree}])

    def test_says_what_the_other_one_says(self) -> None:
        tree = self.send(line("b", LARGE), LARGE).name
        (self.there / "incoming").mkdir()
        (self.there / "incoming" / sha256(LARGE)).write_bytes(b"of something else")
        self.assertEqual(self.give(tree)[-1], {"failed": "changed", "sha256": sha256(LARGE)})

    def test_a_tree_that_is_not_here_is_no_tree(self) -> None:
        self.assertEqual([said["failed"] for said in self.give("0" * 64)], ["refused"])


def copy(read: IO[bytes], write: IO[bytes]) -> None:
    while piece := read.read1(1 << 16):  # type: ignore[attr-defined]
        try:
            write.write(piece)
            write.flush()
        except BrokenPipeError:
            return
    write.close()


if __name__ == "__main__":
    unittest.main()
