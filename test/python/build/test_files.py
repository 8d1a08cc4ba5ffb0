"""Which files go into the build. The table of patterns is also checked against git itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import unittest

from scanning import HELLO, ScanTest

# Ignore files by folder, paths, and those of the paths that git leaves.
CASES: list[tuple[str, dict[str, str], str, str]] = [
    ("a name at any depth", {"": "data.txt"}, "data.txt a/data.txt a/mydata.txt", "a/mydata.txt"),
    ("a leading slash anchors", {"": "/data.txt"}, "data.txt a/data.txt", "a/data.txt"),
    ("a slash in the middle anchors", {"": "a/x.txt"}, "a/x.txt b/a/x.txt", "b/a/x.txt"),
    ("a slash at the end does not anchor", {"": "out/"}, "out/x a/out/x a/out2/x", "a/out2/x"),
    ("a slash at the end is for folders", {"": "out/"}, "out a/out/x", "out"),
    ("a star stops at a slash", {"": "a/*.txt"}, "a/x.txt a/b/x.txt", "a/b/x.txt"),
    ("a star in a name", {"": "*.log"}, "x.log a/b/x.log x.logs", "x.logs"),
    ("a question mark", {"": "x?.txt"}, "x1.txt x12.txt x.txt", "x.txt x12.txt"),
    ("a bracket", {"": "x[0-2a].txt"}, "x1.txt xa.txt x3.txt", "x3.txt"),
    ("a negated bracket", {"": "x[!0-2].txt"}, "x1.txt x3.txt", "x1.txt"),
    ("a bracket with a class", {"": "x[[:digit:]].txt"}, "x1.txt xa.txt", "xa.txt"),
    ("a bracket that is not closed", {"": "x[1.txt"}, "x[1.txt x1.txt", "x1.txt x[1.txt"),
    ("two stars in front", {"": "**/x/y"}, "x/y a/x/y a/b/x/y a/y", "a/y"),
    ("two stars at the end", {"": "a/**"}, "a/x a/b/x b/x", "b/x"),
    ("two stars between", {"": "a/**/z"}, "a/z a/b/z a/b/c/z b/z", "b/z"),
    ("two stars inside of a name", {"": "a**z"}, "abz a/z", "a/z"),
    ("negation", {"": "*.txt\n!keep.txt"}, "x.txt keep.txt a/keep.txt", "a/keep.txt keep.txt"),
    ("the last pattern decides", {"": "!keep.txt\n*.txt"}, "keep.txt", ""),
    ("no way back into a folder that is left out", {"": "a/\n!a/keep.txt"}, "a/keep.txt b", "b"),
    ("a way back where only the content is left out", {"": "a/*\n!a/keep.txt"}, "a/keep.txt a/x", "a/keep.txt"),
    ("comments and blanks", {"": "# x.txt\n\n\\#y.txt"}, "x.txt #y.txt", "x.txt"),
    ("an escaped exclamation mark", {"": "\\!x.txt"}, "!x.txt x.txt", "x.txt"),
    ("spaces at the end", {"": "x.txt   \ny.txt\\ "}, "x.txt y.txt", "y.txt"),
    ("line ends of Windows", {"": "x.txt\r\ny.txt\r\n"}, "x.txt y.txt z.txt", "z.txt"),
    ("a mark at the start of the file", {"": "\ufeffx.txt"}, "x.txt y.txt", "y.txt"),
    ("a nested file counts from its folder", {"a": "/x.txt"}, "x.txt a/x.txt a/b/x.txt", "a/b/x.txt x.txt"),
    ("a nested file overrides", {"": "*.txt", "a": "!x.txt"}, "x.txt a/x.txt a/y.txt", "a/x.txt"),
    ("a nested file leaves out more", {"": "!x.txt", "a": "x.txt"}, "x.txt a/x.txt", "x.txt"),
    ("an upper case letter is another", {"": "X.txt"}, "x.txt X.txt", "x.txt"),
    ("a star is not a dot file's end", {"": "*"}, "x .y a/z", ""),
]


class GitignoreTest(ScanTest):
    def lay_out(self, rules: dict[str, str], paths: str) -> None:
        for path in paths.split():
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.root / path).write_text("")
        for folder, text in rules.items():
            (self.root / folder).mkdir(parents=True, exist_ok=True)
            (self.root / folder / ".gitignore").write_bytes(text.encode())

    def test_patterns_mean_what_they_mean_to_git(self) -> None:
        for title, rules, paths, left in CASES:
            with self.subTest(title):
                shutil.rmtree(self.root)
                self.root.mkdir()
                self.lay_out(rules, paths)
                self.assertEqual(self.scan({})["files"], sorted(left.split()))

    @unittest.skipIf(shutil.which("git") is None, "git is not installed")
    def test_the_table_is_what_git_says(self) -> None:
        for title, rules, paths, left in CASES:
            with self.subTest(title):
                shutil.rmtree(self.root)
                self.root.mkdir()
                subprocess.run(["git", "init", "-q"], cwd=self.root, check=True)
                self.lay_out(rules, paths)
                command = [
                    "git",
                    "-c",
                    "core.excludesFile=",
                    "ls-files",
                    "-z",
                    "--others",
                    "--exclude-per-directory=.gitignore",
                ]
                listed = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=True).stdout
                files = {name for name in listed.split("\0") if name and not name.endswith(".gitignore")}
                self.assertEqual(sorted(files), sorted(left.split()))


class BuiltInTest(ScanTest):
    def test_built_in_patterns_leave_out_what_is_no_part_of_an_app(self) -> None:
        left_out = (
            ".git/config .svc/build/app.py .venv/lib/x.py venv/x.py env/x.py a/__pycache__/x.pyc build/x.py dist/x.py "
            "app.egg-info/x .env .env.local tests/x.py test_app.py a/app_test.py docs/x.py node_modules/x/y.py "
            ".flash/.build/app.py .gitignore .app.py.swp a/.x.py.swo app.py~ a/#x.py# a/.#x.py"
        )
        self.write(dict.fromkeys(left_out.split(), ""))
        self.write({"a/tests.py": "", "environment.py": "", "a/contest.py": "", "model.bin": "", "README.md": ""})
        document = self.scan(HELLO)
        self.assertEqual(
            document["files"], ["README.md", "a/contest.py", "a/tests.py", "app.py", "environment.py", "model.bin"]
        )
        self.assertEqual(document["sourceFiles"], ["a/contest.py", "a/tests.py", "app.py", "environment.py"])
        self.assertEqual(document["ignored"], 23)

    def test_a_gitignore_file_cannot_take_built_in_patterns_back(self) -> None:
        self.write({".gitignore": "!tests/\n!.env\n", "tests/x.py": "", ".env": "KEY=secret"})
        self.assertEqual(self.scan(HELLO)["files"], ["app.py"])

    def test_a_linked_folder_is_left_out_and_said(self) -> None:
        self.write({"real/x.py": "", "app.py": HELLO})
        (self.root / "linked").symlink_to(self.root, target_is_directory=True)
        (self.root / "gone.py").symlink_to(self.root / "nothing")
        (self.root / "same.py").symlink_to(self.root / "real/x.py")
        document = self.scan({})
        self.assertEqual(document["files"], ["app.py", "real/x.py", "same.py"])
        self.assertEqual(
            [problem["message"] for problem in document["warnings"]],
            ["linked is a link to a folder and is left out. Copy the folder into the project."],
        )

    @unittest.skipUnless(os.path.exists("/dev/zero"), "there is no file without an end here")
    def test_a_gitignore_file_that_leads_out_to_a_device_is_none(self) -> None:
        self.write({"app.py": HELLO})
        (self.root / ".gitignore").symlink_to("/dev/zero")
        self.assertEqual(self.scan({})["files"], ["app.py"])


if __name__ == "__main__":
    unittest.main()
