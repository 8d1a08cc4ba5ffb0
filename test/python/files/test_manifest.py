"""Valid and invalid manifests."""

import unittest

from storing import line
from svc_files._manifest import BadManifest, Manifest


class Manifests(unittest.TestCase):
    def refused(self, text: str) -> None:
        with self.assertRaises(BadManifest):
            Manifest.read(text).entries()

    def test_files_links_and_empty_folders_are_entries(self) -> None:
        text = (
            line("a/b.py", b"1")
            + line("a/run", b"2", executable=True)
            + line("c", link="a/b.py")
            + line("d", folder=True)
        )
        self.assertEqual([entry.path for entry in Manifest.read(text).entries()], ["a/b.py", "a/run", "c", "d"])

    def test_a_path_out_of_the_tree_is_refused(self) -> None:
        for path in ("../x", "a/../../x", "/etc/passwd", "a//b", "./a", "a/.", "", "a\0b", "\ud800", "n" * 256):
            with self.subTest(path=path):
                self.refused(line(path, b"1"))

    def test_a_link_out_of_the_tree_is_refused(self) -> None:
        for link in ("/etc/passwd", "../..", "../../x", "x/../../../y", "", "\0"):
            with self.subTest(link=link):
                self.refused(line("a/b", link=link))

    def test_a_link_within_the_tree_is_taken(self) -> None:
        for link in ("c", "../c", "./c", "c/../d", ".."):
            with self.subTest(link=link):
                self.assertEqual(Manifest.read(line("a/b", link=link)).entries()[0].link, link)

    def test_an_entry_below_a_link_or_a_file_is_refused(self) -> None:
        self.refused(line("a", link="b") + line("a/c", b"1"))
        self.refused(line("a", b"1") + line("a/c", b"1"))

    def test_what_is_no_entry_is_refused(self) -> None:
        for text in (
            "no JSON\n",
            "[]\n",
            '{"link": "a"}\n',
            line("a"),
            line("a", b"1", link="b"),
            line("a", b"1", size=-1),
        ):
            with self.subTest(text=text):
                self.refused(text)

    def test_a_manifest_changes_by_its_lines(self) -> None:
        before = Manifest.read(line("b", b"1") + line("c", b"1"))
        after = before.changed(line("a", b"3") + line("b", b"2"), ["c"])
        self.assertEqual(after.text(), line("a", b"3") + line("b", b"2"))


if __name__ == "__main__":
    unittest.main()
