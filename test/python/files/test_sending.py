"""Trees sent to a store, by its own process."""

import os
import unittest

from storing import StoreTest, line, sha256

CODE, OTHER = b"print(1)\n", b"print(2)\n"


class Sendings(StoreTest):
    def test_a_tree_is_there_when_all_has_come(self) -> None:
        tree = self.send(
            line("a/b.py", CODE)
            + line("a/run", CODE, executable=True)
            + line("link", link="a/b.py")
            + line("none", folder=True),
            CODE,
        )
        self.assertEqual((tree / "link").read_bytes(), CODE)
        modes = {path: (tree / path).stat().st_mode & 0o777 for path in ("a", "a/b.py", "a/run", "none")}
        self.assertEqual(modes, {"a": 0o755, "a/b.py": 0o644, "a/run": 0o755, "none": 0o755})

    def test_only_what_is_missing_is_asked_for(self) -> None:
        self.send(line("a", CODE), CODE)
        asked = self.sending().begin(line("a", CODE) + line("b", OTHER))
        self.assertEqual(asked, {"missing": {sha256(OTHER): 0}})

    def test_a_tree_is_told_by_what_changed_in_another_one(self) -> None:
        before = line("a", CODE) + line("b", CODE)
        base = self.send(before, CODE).name
        sending = self.sending()
        after = line("b", CODE) + line("c", CODE)
        self.assertEqual(sending.begin(after, base, line("c", CODE), ["a"]), {"missing": {}})
        tree = sending.end()["tree"]
        self.assertEqual(sorted(os.listdir(self.folder / "trees" / tree)), ["b", "c"])

    def test_a_base_that_is_not_here_is_said_and_the_whole_is_taken(self) -> None:
        sending = self.sending()
        manifest = line("a", CODE)
        self.assertEqual(sending.begin(manifest, "0" * 64, ""), {"unknown": "0" * 64})
        self.assertEqual(sending.begin(manifest), {"missing": {sha256(CODE): 0}})

    def test_what_came_before_a_break_does_not_come_again(self) -> None:
        manifest = line("a", CODE) + line("b", OTHER)
        sending = self.sending()
        sending.begin(manifest)
        sending.say({"blob": sha256(CODE)}, CODE)
        assert sending.process.stdin is not None
        sending.process.stdin.write(b'{"blob": "%s", "bytes": 9}\nprint' % sha256(OTHER).encode())
        sending.close()
        again = self.sending()
        self.assertEqual(again.begin(manifest), {"missing": {sha256(OTHER): 5}})
        again.say({"blob": sha256(OTHER)}, OTHER[5:])
        self.assertEqual((self.folder / "trees" / again.end()["tree"] / "b").read_bytes(), OTHER)

    def test_another_content_than_its_name_says_is_thrown_away(self) -> None:
        sending = self.sending()
        sending.begin(line("a", CODE))
        sending.say({"blob": sha256(CODE)}, OTHER)
        self.assertEqual(sending.hear(), {"failed": "changed", "sha256": sha256(CODE)})
        self.assertEqual(self.sending().begin(line("a", CODE)), {"missing": {sha256(CODE): 0}})

    def test_a_tree_whose_contents_have_not_come_is_not_made(self) -> None:
        sending = self.sending()
        sending.begin(line("a", CODE))
        self.assertEqual(sending.end()["failed"], "refused")
        self.assertEqual(self.command("trees")["trees"], [])

    def test_a_manifest_that_is_not_that_of_the_tree_is_refused(self) -> None:
        answer = self.sending().begin(line("a", CODE), added=line("b", CODE))
        self.assertEqual(answer, {"failed": "refused", "why": "the manifest is not that of the tree"})

    def test_a_content_that_nobody_asked_for_is_refused(self) -> None:
        sending = self.sending()
        sending.begin(line("a", CODE))
        sending.say({"blob": "../../x"}, OTHER)
        self.assertEqual(sending.hear()["failed"], "refused")

    def test_links_that_lead_out_together_are_refused(self) -> None:
        # Each of them stays in the tree by its text; by way of the first the second one leads above it.
        sending = self.sending()
        sending.begin(line("p/q/d", link="../..") + line("p/q/e", link="d/../../x"))
        self.assertEqual(sending.end()["failed"], "refused")
        self.assertEqual(self.command("trees")["trees"], [])

    def test_more_than_there_is_room_for_is_refused_before_it_comes(self) -> None:
        huge = '{"path": "a", "sha256": "%s", "size": %d}\n' % ("0" * 64, 1 << 62)
        answer = self.sending().begin(huge)
        self.assertEqual((answer["failed"], answer["wantedBytes"]), ("full", 1 << 62))

    def test_a_sending_ends_the_one_before_that_nobody_ended(self) -> None:
        before = self.sending()
        before.begin(line("a", CODE))
        self.assertEqual(self.sending().begin(line("a", CODE)), {"missing": {sha256(CODE): 0}})
        self.assertEqual(before.process.wait(), -9)

    def test_only_what_no_tree_has_any_more_is_removed(self) -> None:
        first = self.send(line("a", CODE) + line("b", OTHER), CODE, OTHER)
        second = self.send(line("a", CODE), CODE)
        self.assertEqual([one["owner"] for one in self.command("trees")["trees"]], ["an endpoint"] * 2)
        self.assertEqual(self.command("remove", first.name), {"freedBytes": len(OTHER)})
        self.assertEqual(self.blobs(), {sha256(CODE)})
        self.assertEqual((second / "a").read_bytes(), CODE)
        self.assertEqual([one["tree"] for one in self.command("trees")["trees"]], [second.name])

    def test_what_a_killed_sending_began_goes_with_the_next_removal(self) -> None:
        (self.folder / "trees/.half.new").mkdir(parents=True)
        sending = self.sending()
        sending.begin(line("a", CODE))
        sending.say({"blob": sha256(CODE)}, CODE)
        sending.close()
        self.command("remove")
        self.assertEqual((list((self.folder / "trees").iterdir()), self.blobs()), ([], set()))


if __name__ == "__main__":
    unittest.main()
