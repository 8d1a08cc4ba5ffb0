"""`.env` files."""

import os
import unittest

from app_support import PackageTest

from svc._env_file import load_env_file, parse_env


class EnvFiles(unittest.TestCase):
    def check(self, text: str, **expected: str) -> None:
        self.assertEqual(parse_env(text), expected)

    def test_plain_values(self) -> None:
        self.check("A=1\nB = two words \nC=\n", A="1", B="two words", C="")

    def test_export(self) -> None:
        self.check("export A=1\n  export\tB=2", A="1", B="2")

    def test_quotes(self) -> None:
        self.check("A='a b'\nB=\"c d\"\nC=it's\nD='say \"hi\"'", A="a b", B="c d", C="it's", D='say "hi"')

    def test_escapes_only_in_double_quotes(self) -> None:
        self.check(
            r'A="a\nb\t\"c\" \\ \$x"' + "\n" + r"B='a\nb'" + "\n" + r"C=a\nb", A='a\nb\t"c" \\ $x', B=r"a\nb", C=r"a\nb"
        )

    def test_line_breaks_within_quotes(self) -> None:
        self.check("KEY=\"-----BEGIN\nabc\n-----END\"\nB='1\n2'\nC=3", KEY="-----BEGIN\nabc\n-----END", B="1\n2", C="3")

    def test_comments(self) -> None:
        self.check(
            "# A=0\n  # x\nA=1 # one\nB=a#b\nC='x # y' # z\nD=\"x\"#z\nE= # only\n",
            A="1",
            B="a#b",
            C="x # y",
            D="x",
            E="",
        )

    def test_nothing_is_substituted(self) -> None:
        self.check("A=$HOME/${B}", A="$HOME/${B}")

    def test_other_lines_are_passed_over(self) -> None:
        self.check("hello\n=1\n1A=2\nA B=3\n\nC=4", C="4")

    def test_windows_line_ends_and_a_byte_order_mark(self) -> None:
        self.check("\ufeffA=1\r\nB='x'\r\n", A="1", B="x")

    def test_an_unclosed_quote_is_part_of_the_value(self) -> None:
        self.check('A="abc\nB=2', A='"abc', B="2")

    def test_the_last_of_equal_names_counts(self) -> None:
        self.check("A=1\nA=2", A="2")


class Loading(PackageTest):
    def test_puts_what_is_missing_into_the_environment(self) -> None:
        self.write(".env", "SVC_TEST_A=file\nSVC_TEST_B=file")
        os.environ["SVC_TEST_A"] = "mine"
        load_env_file()
        self.assertEqual((os.environ["SVC_TEST_A"], os.environ["SVC_TEST_B"]), ("mine", "file"))
