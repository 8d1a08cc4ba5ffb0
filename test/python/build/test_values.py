"""Arguments that are not literals: what is resolved, and what is an error with file, line and parameter."""

from __future__ import annotations

import unittest

from scanning import ScanTest

ONE = """
from svc import *
{before}
@Endpoint(name="one", {argument})
def one(): ...
"""


class ResolvedTest(ScanTest):
    def value(self, argument: str, before: str = "", **files: str) -> object:
        """What the parameter of `argument` is in the document."""
        others = {f"{name}.py": text for name, text in files.items()}
        (endpoint,) = self.endpoints({"app.py": ONE.format(before=before, argument=argument), **others})
        return endpoint["settings"][argument.partition("=")[0]]

    def test_literals(self) -> None:
        self.assertEqual(self.value('dependencies=["a", "b==1"]'), ["a", "b==1"])
        self.assertEqual(self.value("workers=(1, 5)"), [1, 5])
        self.assertEqual(self.value("workers=3"), [0, 3])
        self.assertEqual(self.value("flashboot=False"), False)
        self.assertEqual(self.value('env={"A": "1"}'), {"A": "1"})

    def test_a_dependency_list_in_a_variable(self) -> None:
        self.assertEqual(self.value("dependencies=DEPS", 'DEPS = ["a", "b"]'), ["a", "b"])

    def test_lists_that_are_put_together(self) -> None:
        before = 'A = ["a"]\nB = ("b",)\nMORE = True'
        self.assertEqual(self.value('dependencies=A + ["c"]', before), ["a", "c"])
        self.assertEqual(self.value('dependencies=[*A, *B, "c"]', before), ["a", "b", "c"])
        self.assertEqual(self.value('dependencies=A + (["c"] if MORE else [])', before), ["a", "c"])
        self.assertEqual(self.value("dependencies=list(B)", before), ["b"])
        self.assertEqual(self.value('dependencies="a b".split()', before), ["a", "b"])

    def test_lists_that_are_changed(self) -> None:
        before = 'DEPS = ["a"]\nDEPS += ["b"]\nDEPS.append("c")\nDEPS.extend(["d"])'
        self.assertEqual(self.value("dependencies=DEPS", before), ["a", "b", "c", "d"])

    def test_a_name_has_the_value_that_it_has_at_the_decorator(self) -> None:
        source = """
            from svc import Endpoint
            SECONDS = 10
            @Endpoint(name="one", idle_timeout=SECONDS)
            def one(): ...
            SECONDS = SECONDS + 20
            @Endpoint(name="two", idle_timeout=SECONDS)
            def two(): ...
        """
        self.assertEqual([found["settings"]["idle_timeout"] for found in self.endpoints(source)], [10, 30])

    def test_texts(self) -> None:
        before = 'VERSION = "2.1"\nMAJOR = 3'
        self.assertEqual(self.value('dependencies=[f"torch=={VERSION}"]', before), ["torch==2.1"])
        self.assertEqual(self.value('dependencies=["x==" + VERSION]', before), ["x==2.1"])
        self.assertEqual(self.value('dependencies=[f"x=={MAJOR:02d}.{VERSION!s}"]', before), ["x==03.2.1"])

    def test_numbers(self) -> None:
        self.assertEqual(self.value("execution_timeout_ms=10 * MINUTE", "MINUTE = 60 * 1000"), 600_000)
        self.assertEqual(self.value("idle_timeout=max(30, 2 ** 6)"), 64)

    def test_dicts(self) -> None:
        before = 'BASE = {"A": "1"}\nBASE["B"] = "2"'
        self.assertEqual(self.value('env=BASE | {"C": "3"}', before), {"A": "1", "B": "2", "C": "3"})
        self.assertEqual(self.value('env={**BASE, "A": "9"}', before), {"A": "9", "B": "2"})
        self.assertEqual(self.value('env=dict(X="1", Y=str(2))'), {"X": "1", "Y": "2"})
        self.assertEqual(self.value('dependencies=SETS["fast"]', 'SETS = {"fast": ["a"]}'), ["a"])

    def test_conditions_of_constants(self) -> None:
        before = "FAST = True\nif FAST and not None:\n    GPU = GpuGroup.ADA_24\nelse:\n    GPU = pick()"
        self.assertEqual(self.value("gpu=GPU", before), "ADA_24")
        self.assertEqual(self.value("workers=2 if FAST else 1", before), [0, 2])

    def test_names_of_other_files(self) -> None:
        config = 'DEPS = ["a"]\nclass Limits:\n    IDLE = 30\n'
        self.assertEqual(self.value("dependencies=DEPS", "from config import DEPS", config=config), ["a"])
        self.assertEqual(self.value("dependencies=D", "from config import DEPS as D", config=config), ["a"])
        self.assertEqual(self.value("dependencies=config.DEPS", "import config", config=config), ["a"])
        self.assertEqual(self.value("dependencies=c.DEPS", "import config as c", config=config), ["a"])
        self.assertEqual(self.value("dependencies=DEPS", "from config import *", config=config), ["a"])
        self.assertEqual(self.value("idle_timeout=Limits.IDLE", "from config import Limits", config=config), 30)
        self.assertEqual(self.value("idle_timeout=config.Limits.IDLE", "import config", config=config), 30)

    def test_names_of_packages(self) -> None:
        files = {
            "settings/__init__.py": "from .gpu import CARD\nfrom . import cpu",
            "settings/gpu.py": "from ..shared.cards import BIG as CARD",
            "settings/cpu.py": 'SMALL = "cpu3c-1-2"',
            "shared/cards.py": "from svc import GpuType\nBIG = GpuType.NVIDIA_H200",
            "workers/a.py": """
                from svc import Endpoint
                import settings
                @Endpoint(name="a", gpu=settings.CARD)
                def a(): ...
                @Endpoint(name="b", cpu=settings.cpu.SMALL)
                def b(): ...
            """,
        }
        self.assertEqual(
            self.errors({**files, "settings/gpu.py": "from ...shared.cards import BIG as CARD"})[:1],
            [
                "settings/gpu.py:1 unresolvable-relative-import `from ...shared.cards import BIG as CARD` leads to no "
                "module: it leads out of the project."
            ],
        )
        found = self.endpoints({**files, "settings/gpu.py": "from shared.cards import BIG as CARD"})
        self.assertEqual(
            [e["settings"].get("gpu", e["settings"].get("cpu")) for e in found], ["NVIDIA H200", "cpu3c-1-2"]
        )

    def test_enum_members(self) -> None:
        self.assertEqual(self.value("gpu=GpuGroup.ANY"), "any")
        self.assertEqual(self.value("gpu=[GpuGroup.ADA_24, GpuType.NVIDIA_L4]"), ["ADA_24", "NVIDIA L4"])
        self.assertEqual(self.value("gpu=GpuGroup.ADA_24.value"), "ADA_24")
        self.assertEqual(self.value('gpu=GpuGroup["ADA_24"]'), "ADA_24")
        self.assertEqual(self.value('gpu=GpuType("NVIDIA L4")'), "NVIDIA L4")
        self.assertEqual(self.value("cpu=CpuInstanceType.CPU3G_2_8"), "cpu3g-2-8")
        self.assertEqual(self.value("datacenter=[DataCenter.EU_RO_1, DataCenter.US_GA_2]"), ["EU-RO-1", "US-GA-2"])
        self.assertEqual(self.value("scaler_type=ServerlessScalerType.REQUEST_COUNT"), "REQUEST_COUNT")
        self.assertEqual(self.value("min_cuda_version=CudaVersion.V12_8"), "12.8")
        self.assertIn("EU-RO-1", self.value("datacenter=DataCenter.all()"))  # type: ignore[arg-type]
        self.assertNotIn("any", self.value("gpu=GpuGroup.all()"))  # type: ignore[arg-type]
        self.assertEqual(self.value('datacenter=DataCenter.from_string("eu_ro_1")'), "EU-RO-1")

    def test_enums_of_the_project(self) -> None:
        before = 'import enum\nclass Tier(str, enum.Enum):\n    SMALL = "cpu3c-1-2"'
        self.assertEqual(self.value("cpu=Tier.SMALL", before), "cpu3c-1-2")
        self.assertEqual(self.value("cpu=Tier.SMALL.value", before), "cpu3c-1-2")

    def test_volumes_and_templates(self) -> None:
        volume = {"name": "models", "size": 50, "datacenter": "EU-RO-1"}
        before = 'V = NetworkVolume(name="models", size=50, datacenter=DataCenter.EU_RO_1)'
        self.assertEqual(self.value("volume=V", before), volume)
        self.assertEqual(self.value('volume=[V, NetworkVolume(id="x")]', before), [volume, {"id": "x"}])
        self.assertEqual(self.value("template=PodTemplate(containerDiskInGb=20)"), {"containerDiskInGb": 20})

    def test_settings_in_a_dict(self) -> None:
        source = (
            'from svc import Endpoint\nS = {"workers": 2, "cpu": "cpu3c-1-2"}\n@Endpoint("one", **S)\ndef one(): ...'
        )
        self.assertEqual(self.settings(source), {"workers": [0, 2], "cpu": "cpu3c-1-2"})

    def test_none_is_the_same_as_not_given(self) -> None:
        source = 'from svc import Endpoint\n@Endpoint(name="one", gpu=None, dependencies=None)\ndef one(): ...'
        self.assertEqual(self.settings(source), {})


class UnresolvedTest(ScanTest):
    def error(self, argument: str, before: str = "") -> str:
        (found,) = self.errors(ONE.format(before=before, argument=argument))
        return found

    def test_a_call(self) -> None:
        self.assertEqual(
            self.error("gpu=pick()", "def pick(): ..."),
            'app.py:3 unresolved-value gpu of endpoint "one" cannot be known when the app is built: `pick()` is a '
            "call. "
            "Write the value itself or a constant of a project file.",
        )

    def test_the_reason_is_named_where_it_is(self) -> None:
        self.write({"config.py": "import json\n\nDEPS = json.loads('[]')"})
        self.assertEqual(
            self.error("dependencies=config.DEPS", "import config"),
            'app.py:3 unresolved-value dependencies of endpoint "one" cannot be known when the app is built: '
            "`json.loads()` is not part of the project (config.py line 3). "
            "Write the value itself or a constant of a project file.",
        )

    def test_the_environment_of_the_machine_that_builds(self) -> None:
        for source in ('os.environ["TOKEN"]', 'os.environ.get("TOKEN", "")', 'os.getenv("TOKEN")'):
            found = self.error('env={"A": "1", "HF_TOKEN": ' + source + "}", "import os")
            self.assertRegex(
                found,
                r'^app.py:3 unresolved-value env\["HF_TOKEN"\] of endpoint "one" cannot be known when the app is '
                r"built: "
                r"os\.(environ|environ\.get\(\)|getenv\(\)) is read on the machine that builds. "
                r"Remove the line and set it where it runs: drydock env set HF_TOKEN=VALUE.$",
            )
        self.assertEqual(
            self.error('workers=int(os.environ.get("N", "1"))', "import os"),
            'app.py:3 unresolved-value workers of endpoint "one" cannot be known when the app is built: '
            "os.environ.get() is read on the machine that builds. Write the value itself.",
        )

    def test_a_branch_of_which_nothing_is_known(self) -> None:
        before = "import sys\nif sys.platform:\n    N = 1\nelse:\n    N = 2"
        self.assertIn("`N` is set in several branches of app.py", self.error("workers=N", before))

    def test_what_a_loop_leaves(self) -> None:
        before = "DEPS = []\nfor name in ['a']:\n    DEPS.append(name)"
        self.assertIn(
            "`DEPS` gets its value when the code runs (app.py line 4)", self.error("dependencies=DEPS", before)
        )

    def test_a_change_that_is_not_followed(self) -> None:
        before = 'DEPS = ["a", "b"]\nDEPS.remove("a")'
        self.assertIn("`DEPS.remove('a')` changes it (app.py line 3)", self.error("dependencies=DEPS", before))

    def test_names_that_are_not_there(self) -> None:
        self.assertIn("`MISSING` is not defined in app.py", self.error("workers=MISSING"))
        self.write({"config.py": "A = 1"})
        self.assertIn("config.py does not define B", self.error("workers=config.B", "import config"))

    def test_circles(self) -> None:
        self.write({"config.py": "from app import N\nM = [N]"})
        self.assertIn("unresolved-value workers", self.error("workers=N", "from config import M\nN = [M]"))

    def test_values_that_would_fill_the_memory(self) -> None:
        for huge in ('"a" * 10**9', "10 ** 10 ** 10", "1 << 10**9", 'f"{1:>1000000000}"', '["a"] * 10**9'):
            self.assertIn("unresolved-value", self.error(f"dependencies=[{huge}]"))

    def test_an_expression_that_raises(self) -> None:
        self.assertIn("`1 / 0` raises ZeroDivisionError", self.error("workers=1 / 0"))

    def test_a_value_without_a_form_in_json(self) -> None:
        self.assertIn("b'x' has no form in JSON", self.error('template={"ports": b"x"}'))

    def test_a_parameter_is_a_field_of_its_own(self) -> None:
        document = self.scan(ONE.format(before="", argument="gpu=pick()"))
        self.assertEqual(document["errors"][0]["parameter"], "gpu")


if __name__ == "__main__":
    unittest.main()
