"""What each parameter takes: wrong values are errors that name the parameter, the value and what is allowed."""

from __future__ import annotations

import unittest

from scanning import ScanTest

GROUPS = (
    "any, ADA_24, ADA_32_PRO, ADA_48_PRO, ADA_80_PRO, AMPERE_16, AMPERE_24, AMPERE_48, AMPERE_80, HOPPER_141, "
    "BLACKWELL_96, BLACKWELL_180, a card's name like NVIDIA L4"
)
CPUS = (
    "cpu3g-1-4, cpu3g-2-8, cpu3g-4-16, cpu3g-8-32, cpu3c-1-2, cpu3c-2-4, cpu3c-4-8, cpu3c-8-16, "
    "cpu5c-1-2, cpu5c-2-4, cpu5c-4-8, cpu5c-8-16"
)
WORKERS = "a whole number n (0 to n workers) or a pair (least, most), with 0 <= least <= most <= 100"

# The argument, the value as shown, what is allowed.
WRONG = [
    ('gpu="ADA_99"', "'ADA_99'", f"one or a list of {GROUPS}"),
    ('gpu=["ADA_24", "x"]', "['ADA_24', 'x']", f"one or a list of {GROUPS}, not 'x'"),
    ("gpu=[]", "[]", f"one or a list of {GROUPS}"),
    ("gpu=4", "4", f"one or a list of {GROUPS}"),
    ('cpu="cpu3g-3-4"', "'cpu3g-3-4'", f"one or a list of {CPUS}"),
    ("workers=-1", "-1", WORKERS),
    ("workers=101", "101", WORKERS),
    ("workers=(3, 1)", "(3, 1)", WORKERS),
    ("workers=(1, 2, 3)", "(1, 2, 3)", WORKERS),
    ("workers=True", "True", WORKERS),
    ("workers=1.5", "1.5", WORKERS),
    ("idle_timeout=0", "0", "a whole number from 1 to 3600 seconds"),
    ("idle_timeout=3601", "3601", "a whole number from 1 to 3600 seconds"),
    ("idle_timeout=None", "None", "a whole number from 1 to 3600 seconds"),
    ('dependencies="numpy"', "'numpy'", "a list of non-empty strings"),
    ('dependencies=["a", 1]', "['a', 1]", "a list of non-empty strings"),
    ('system_dependencies=[""]', "['']", "a list of non-empty strings"),
    ('env=["A=1"]', "['A=1']", "a dict of strings"),
    ('env={"PORT": 80}', "{'PORT': 80}", 'a dict of strings: write "PORT": "80"'),
    ('env={"A-B": "1"}', "{'A-B': '1'}", "a dict of strings whose keys are variable names, not 'A-B'"),
    ('volume="models"', "'models'", 'NetworkVolume(name="...", size=GB) or a list of them'),
    ("volume=NetworkVolume(size=10)", "{'size': 10}", "a NetworkVolume with a name or an id"),
    (
        'volume=NetworkVolume(name="m", size=9)',
        "{'name': 'm', 'size': 9}",
        "a NetworkVolume with a size from 10 to 4096 GB",
    ),
    (
        'volume=NetworkVolume(name="m", sizes=9)',
        "NetworkVolume(name='m', sizes=9)",
        "NetworkVolume with the fields name, id, size, datacenter, dataCenterId, not sizes",
    ),
    ("gpu_count=0", "0", "a whole number from 1 to 64"),
    ("execution_timeout_ms=4999", "4999", "0 (no limit) or a whole number from 5000 to 604800000 ms"),
    ('scaler_type="FAST"', "'FAST'", "one of QUEUE_DELAY, REQUEST_COUNT"),
    ("scaler_value=0", "0", "a whole number from 1 to 10000"),
    ("max_concurrency=0", "0", "a whole number from 1 to 1000"),
    (
        'min_cuda_version="10.1"',
        "'10.1'",
        "one of 11.8, 12.0, 12.1, 12.2, 12.3, 12.4, 12.5, 12.6, 12.7, 12.8, 12.9, 13.0",
    ),
    ("flashboot=1", "1", "True or False"),
    (
        'datacenter="MOON-1"',
        "'MOON-1'",
        "one or a list of US-CA-2, US-GA-2, US-IL-1, US-KS-2, US-MO-1, US-MO-2, US-NC-2, US-NE-1, US-WA-1, EU-CZ-1, "
        "EU-RO-1, "
        "EUR-NO-1",
    ),
    ('python_version="3.9"', "'3.9'", "one of 3.10, 3.11, 3.12, 3.13"),
    ("python_version=3.12", "3.12", 'a string: write "3.12" in quotes'),
    (
        "scaler_type=ServerlessScalerType.FAST",
        "ServerlessScalerType.FAST",
        "one of ServerlessScalerType.QUEUE_DELAY, ServerlessScalerType.REQUEST_COUNT",
    ),
]

RIGHT = [
    ('gpu="any"', "any"),
    ('gpu=["NVIDIA L4", "ADA_24"]', ["NVIDIA L4", "ADA_24"]),
    ('cpu=["cpu3c-1-2", "cpu5c-8-16"]', ["cpu3c-1-2", "cpu5c-8-16"]),
    ("workers=0", [0, 0]),
    ("workers=(100, 100)", [100, 100]),
    ("idle_timeout=1", 1),
    ("idle_timeout=3600", 3600),
    ("execution_timeout_ms=0", 0),
    ("execution_timeout_ms=5000", 5000),
    ("execution_timeout_ms=604800000", 604_800_000),
    ('volume=NetworkVolume(name="m", size=10)', {"name": "m", "size": 10}),
    ('volume=NetworkVolume(name="m", size=4096)', {"name": "m", "size": 4096}),
    ('datacenter="eu_ro_1"', "EU-RO-1"),
    ('python_version="3.13"', "3.13"),
    ("max_concurrency=1", 1),
    ("accelerate_downloads=False", False),
]


class ParameterTest(ScanTest):
    def test_wrong_values(self) -> None:
        for argument, value, allowed in WRONG:
            with self.subTest(argument):
                parameter = argument.partition("=")[0]
                self.assertEqual(
                    self.errors(f'from svc import *\n@Endpoint(name="one",\n{argument})\ndef one(): ...'),
                    [f'app.py:3 invalid-value {parameter} of endpoint "one" is {value}; it takes {allowed}.'],
                )

    def test_right_values(self) -> None:
        for argument, value in RIGHT:
            with self.subTest(argument):
                source = f'from svc import *\n@Endpoint(name="one", {argument})\ndef one(): ...'
                self.assertEqual(self.settings(source), {argument.partition("=")[0]: value})

    def test_names(self) -> None:
        allowed = "it takes a string of 1 to 100 printable characters without spaces at its ends."
        for name in ("", " a", "a\n", "x" * 101):
            self.assertEqual(
                self.errors(f"from svc import Endpoint\n@Endpoint(name={name!r})\ndef one(): ..."),
                [f'app.py:2 invalid-value name of endpoint "{name}" is {short(name)}; {allowed}'],
            )
        self.assertEqual(self.errors(f"from svc import Endpoint\n@Endpoint(name={'x' * 100!r})\ndef one(): ..."), [])

    def test_unknown_parameters(self) -> None:
        self.assertEqual(
            self.errors('from svc import Endpoint\n@Endpoint(name="one", worker=3, workersMax=2)\ndef one(): ...'),
            [
                'app.py:2 unknown-parameter endpoint "one" has an unknown parameter worker. Did you mean workers?',
                'app.py:2 unknown-parameter endpoint "one" has an unknown parameter workersMax. Did you mean workers?',
            ],
        )

    def test_positional_arguments(self) -> None:
        self.assertEqual(
            self.errors('from svc import Endpoint\n@Endpoint("one", "ADA_24")\ndef one(): ...'),
            [
                'app.py:2 too-many-positions endpoint "one" has 2 positional arguments; '
                "only the endpoint's name may be positional."
            ],
        )
        self.assertEqual(
            self.errors('from svc import Endpoint\n@Endpoint("one", name="two")\ndef one(): ...'),
            ['app.py:2 repeated-parameter name of endpoint "one" is given twice.'],
        )

    def test_gpu_and_cpu(self) -> None:
        self.assertEqual(
            self.errors('from svc import Endpoint\n@Endpoint(name="one", gpu="any",\ncpu="cpu3c-1-2")\ndef one(): ...'),
            ['app.py:3 gpu-and-cpu endpoint "one" has both gpu and cpu; give one of them.'],
        )

    def test_id_and_image(self) -> None:
        self.assertEqual(
            self.errors('from svc import Endpoint\nx = Endpoint(name="x", id="a", image="b")\nEndpoint(image="c")'),
            [
                'app.py:2 id-and-image endpoint "x" has both id and image: id= is a client of an endpoint that exists, '
                "image= makes a new one.",
                "app.py:3 image-without-name The endpoint with image='c' has no name. "
                'Write Endpoint(name="...", image=...).',
            ],
        )

    def test_several_python_versions_are_for_the_build_to_settle(self) -> None:
        source = 'from svc import Endpoint\n@Endpoint(name="{0}", python_version="{1}")\ndef {0}(): ...'
        found = self.endpoints({"a.py": source.format("a", "3.11"), "b.py": source.format("b", "3.12")})
        self.assertEqual([one["settings"]["python_version"] for one in found], ["3.11", "3.12"])


def short(text: str) -> str:
    shown = repr(text)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."


if __name__ == "__main__":
    unittest.main()
