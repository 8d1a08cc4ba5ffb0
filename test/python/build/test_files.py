"""Which files go into the build. The table of patterns is also checked against git itself."""

from __future__ import annotations

import shutil
import subprocess
import unittest
from pathlib import Path
from textwrap import dedent

from scanning import HELLO, ScanTest, scan

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
    ("a folder that is left out cannot be opened again", {"": "a/\n!a/keep.txt"}, "a/keep.txt b", "b"),
    ("a folder whose content alone is left out can be opened again", {"": "a/*\n!a/keep.txt"}, "a/keep.txt a/x", "a/keep.txt"),
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
            ".flash/.build/app.py .gitignore .app.py.swp a/.x.py.swo app.py~ a/#x.py# a/.#x.py test/x.py .tox/x.py "
            "a/.nox/x.py data.tar.gz .runpodignore runpod_manifest.json .env.example"
        )
        self.write(dict.fromkeys(left_out.split(), ""))
        self.write({"a/tests.py": "", "environment.py": "", "a/contest.py": "", "model.bin": "", "README.md": ""})
        document = self.scan(HELLO)
        self.assertEqual(
            document["files"], ["README.md", "a/contest.py", "a/tests.py", "app.py", "environment.py", "model.bin"]
        )
        self.assertEqual(document["sourceFiles"], ["a/contest.py", "a/tests.py", "app.py", "environment.py"])
        self.assertEqual(document["ignored"], 30)

    def test_ignore_files_bring_defaults_back_and_nothing_that_is_never_packed(self) -> None:
        files = {"tests/x.py": "", "tests/__pycache__/x.pyc": "", "tests/.env": "", "docs/x.md": "", ".git/config": ""}
        rules = "!tests/\n!.env\n!.git/\n!__pycache__/\n"
        for file in (".gitignore", ".runpodignore"):
            with self.subTest(file):
                (self.root / ".gitignore").unlink(missing_ok=True)
                self.write({file: rules, **files})
                self.assertEqual(self.scan(HELLO)["files"], ["app.py", "tests/x.py"])


class RunpodignoreTest(ScanTest):
    def files(self, rules: dict[str, str], paths: str) -> str:
        self.write({"app.py": HELLO, **rules, **dict.fromkeys(paths.split(), "")})
        return " ".join(file for file in self.scan({})["files"] if file != "app.py")

    def test_it_leaves_out_and_brings_back_after_all_gitignore_files(self) -> None:
        rules = {
            ".gitignore": "*.log\n*.dat\n",
            "a/.gitignore": "*.txt\n",
            ".runpodignore": "secrets/\n*.bin\n!keep.bin\n!a/x.txt\n!logs/\n",
        }
        paths = "secrets/k.txt a.bin keep.bin a/x.txt a/y.txt logs/1.log b.log x.dat"
        self.assertEqual(self.files(rules, paths), "a/x.txt keep.bin logs/1.log")

    def test_only_the_one_at_the_root_counts(self) -> None:
        self.assertEqual(self.files({"a/.runpodignore": "x.txt\n"}, "a/x.txt"), "a/x.txt")

    def test_its_folders_come_back_before_their_files(self) -> None:
        self.assertEqual(self.files({".gitignore": "data/\n", ".runpodignore": "!data/x\n"}, "data/x"), "")
        self.assertEqual(self.files({".gitignore": "data/\n", ".runpodignore": "!data/\n"}, "data/x"), "data/x")

    def test_an_import_of_what_it_leaves_out_names_its_line(self) -> None:
        files = {".runpodignore": "# mine\nlocal.py\n", "local.py": "", "app.py": f"import local\n{dedent(HELLO)}"}
        self.assertIn("left out of the build by `local.py` (.runpodignore line 2)", self.errors(files)[0])


CREDENTIALS = (
    ".aws/credentials .azure/token .boto .config/gcloud/access_tokens.db .docker/config.json .dockercfg "
    ".dockerconfigjson .env .env.local .git-credentials .gnupg/secring .kube/config .netrc .npmrc .pgpass .pypirc "
    ".ssh/id_ed25519 .ssh/known_hosts Server.PEM application_default_credentials.json ca.p12 ca.pfx "
    "client_secret_1.json cloud/credentials.json deploy.key id_rsa id_rsa.pub pass.kdbx prod.env.json "
    "service-account-1.json sub/.aws/config x.env"
)


class CredentialsTest(ScanTest):
    def test_they_are_left_out_whatever_is_written_and_each_is_named_once(self) -> None:
        back = "!*\n!**\n!.env*\n!.ssh/\n!.aws/\n!*.pem\n"
        self.write({".gitignore": back, ".runpodignore": back, **dict.fromkeys(CREDENTIALS.split(), "secret")})
        self.write({"id_generator.py": "", "key.py": "", ".docker/daemon.json": "", "environment.txt": ""})
        document = self.scan(HELLO)
        self.assertEqual(
            document["files"], [".docker/daemon.json", "app.py", "environment.txt", "id_generator.py", "key.py"]
        )
        (warning,) = document["warnings"]
        self.assertEqual((warning["code"], warning["file"], warning["line"]), ("credentials-left-out", ".", 1))
        named = warning["message"].partition(": ")[2].partition(". Give")[0]
        self.assertEqual(named, ", ".join(sorted(CREDENTIALS.split())))

    def test_a_folder_with_many_is_named_as_one(self) -> None:
        self.write({f".kube/cache/{number}": "" for number in range(21)})
        (warning,) = self.scan(HELLO)["warnings"]
        self.assertIn(": .kube/ (21 files). ", warning["message"])

    def test_a_data_folder_is_left_out_whole(self) -> None:
        self.write({"data/account.key": "", "data/drydock.db": "", "data/payloads/1": "", "other/account.txt": ""})
        document = self.scan(HELLO)
        self.assertEqual(document["files"], ["app.py", "other/account.txt"])
        self.assertIn("data/account.key, data/drydock.db, data/payloads/1. ", document["warnings"][0]["message"])

    def test_a_project_that_is_a_data_folder_is_refused(self) -> None:
        self.assertEqual(
            self.errors({"account.key": "", "drydock.db": "", "app.py": HELLO}),
            [
                ".:1 project-is-data-folder This folder is the data folder of a service (it holds account.key and "
                "drydock.db). Move the app into a folder of its own."
            ],
        )


class LinkTest(ScanTest):
    def setUp(self) -> None:
        super().setUp()
        self.outside = self.root.parent / "outside"
        self.outside.mkdir()

    def link(self, name: str, target: str | Path) -> None:
        (self.root / name).symlink_to(target)

    def test_a_link_that_leads_out_is_refused(self) -> None:
        (self.outside / "account.key").write_text("secret")
        (self.outside / "model.bin").write_text("")
        self.link("weights.json", self.outside / "account.key")
        self.link("model.bin", "../outside/model.bin")
        self.link("further.bin", "model.bin")
        outside = self.outside.resolve()
        says = (
            "is a link that leads out of the project, to {}. Copy the file here, name the link in .runpodignore, or "
            f"build with --allow-links-to {outside}."
        )
        self.assertEqual(
            self.errors(HELLO),
            [
                f"{name}:1 link-leads-out {name} {says.format(outside / target)}"
                for name, target in [
                    ("further.bin", "model.bin"),
                    ("model.bin", "model.bin"),
                    ("weights.json", "account.key"),
                ]
            ],
        )

    def test_folders_are_allowed_but_never_credentials_in_them(self) -> None:
        self.write({"app.py": HELLO})
        (self.outside / ".ssh").mkdir()
        for name in ("account.key", "model.bin", ".ssh/config"):
            (self.outside / name).write_text("x")
        self.link("model.bin", self.outside / "model.bin")
        self.link("weights.json", self.outside / "account.key")
        self.link("settings.txt", self.outside / ".ssh" / "config")
        by_a_link = self.root.parent / "by-a-link"
        by_a_link.symlink_to(self.outside)
        for allowed in (self.outside, self.outside.parent, by_a_link):
            with self.subTest(str(allowed)):
                document = scan(str(self.root), [str(allowed)])
                self.assertEqual(document["errors"], [])
                self.assertEqual(document["files"], ["app.py", "model.bin"])
                self.assertIn(": settings.txt, weights.json. ", document["warnings"][0]["message"])

    def test_a_link_within_the_project_is_kept_unless_it_leads_to_credentials(self) -> None:
        self.write({"real/x.py": "", ".env": "", ".git/config": "", "app.py": HELLO})
        self.link("same.py", self.root / "real/x.py")
        self.link("settings.txt", ".env")
        self.link("remote.txt", ".git/config")
        document = self.scan({})
        self.assertEqual(document["files"], ["app.py", "real/x.py", "same.py"])
        self.assertIn(": .env, remote.txt, settings.txt. ", document["warnings"][0]["message"])

    def test_an_ignored_link_is_no_problem(self) -> None:
        (self.outside / "x").write_text("")
        self.link("x", self.outside / "x")
        self.assertEqual(self.errors({".runpodignore": "/x\n", "app.py": HELLO}), [])

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

    def test_an_ignore_file_that_is_a_link_is_none(self) -> None:
        self.write({"app.py": HELLO, "rules": "x.txt\n", "x.txt": ""})
        self.link(".gitignore", "rules")
        self.link(".runpodignore", "/dev/zero")
        self.assertEqual(self.scan({})["files"], ["app.py", "rules", "x.txt"])


if __name__ == "__main__":
    unittest.main()
