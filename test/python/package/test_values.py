"""Arguments of Endpoint, and the messages for wrong ones."""

import subprocess
import sys
import unittest
from typing import Any

from app_support import PYTHON

from svc import (
    CpuInstanceType,
    CudaVersion,
    DataCenter,
    Endpoint,
    GpuGroup,
    GpuType,
    NetworkVolume,
    PodTemplate,
    ServerlessScalerType,
)


class Values(unittest.TestCase):
    def settings(self, **given: Any) -> Any:
        return Endpoint(name="x", **given).settings

    def refused(self, text: str, **given: Any) -> None:
        with self.assertRaises(ValueError) as raised:
            self.settings(**given)
        self.assertEqual(str(raised.exception), text)

    def test_defaults(self) -> None:
        endpoint = Endpoint("x")
        told = endpoint.settings
        self.assertEqual((told.gpu, told.cpu, told.workers, told.idle_timeout), (["any"], None, (0, 1), 60))
        self.assertEqual(
            (endpoint.workers_min, endpoint.workers_max, endpoint.is_cpu, endpoint.is_client), (0, 1, False, False)
        )
        self.assertEqual(told.scaler_type(load_balanced=False), "QUEUE_DELAY")
        self.assertEqual(told.scaler_type(load_balanced=True), "REQUEST_COUNT")

    def test_gpus_by_member_name_or_list(self) -> None:
        self.assertEqual(self.settings(gpu=GpuGroup.ADA_24).gpu, ["ADA_24"])
        self.assertEqual(self.settings(gpu="BLACKWELL_96").gpu, ["BLACKWELL_96"])
        both = [GpuType.NVIDIA_L4, "NVIDIA H200", GpuGroup.ANY]
        self.assertEqual(self.settings(gpu=both).gpu, ["NVIDIA L4", "NVIDIA H200", "any"])

    def test_all_of_an_enum(self) -> None:
        self.assertEqual(len(self.settings(gpu=GpuType.all()).gpu), len(GpuType) - 1)
        self.assertNotIn("any", self.settings(gpu=GpuGroup.all()).gpu)
        self.assertEqual(DataCenter.all()[-1], DataCenter.from_string(" eur_no_1 "))
        with self.assertRaisesRegex(ValueError, "^DataCenter: 'eu' is not allowed; it must be one of US-CA-2, "):
            DataCenter.from_string("eu")

    def test_cpus(self) -> None:
        both = [CpuInstanceType.CPU5C_8_16, "cpu3g-1-4"]
        self.assertEqual(self.settings(cpu=both).cpu, ["cpu5c-8-16", "cpu3g-1-4"])
        allowed = ", ".join(member.value for member in CpuInstanceType)
        self.refused(f"Endpoint: cpu='cpu3g-3-4' is not allowed; it must be one of {allowed}", cpu="cpu3g-3-4")

    def test_gpu_and_cpu_exclude_each_other(self) -> None:
        self.refused("Endpoint: gpu='any' and cpu='cpu3c-1-2' exclude each other; give one", gpu="any", cpu="cpu3c-1-2")

    def test_unknown_gpus(self) -> None:
        for wrong in ("ADA_25", 4, ["ADA_24", "x"]):
            with self.assertRaisesRegex(ValueError, r"Endpoint: gpu=.* is not allowed; it must be one of any, ADA_24"):
                self.settings(gpu=wrong)
        self.refused("Endpoint: gpu=[] is not allowed; it must be at least one value", gpu=[])

    def test_workers(self) -> None:
        for given, told in ((3, (0, 3)), ((1, 5), (1, 5)), ([0, 0], (0, 0)), (None, (0, 1))):
            self.assertEqual(self.settings(workers=given).workers, told)
        allowed = "a number n, meaning (0, n), or a pair (least, most) with 0 <= least <= most"
        for wrong in (-1, (2, 1), (-1, 2), (1, 2, 3), "3", True, 1.5, (1, "2")):
            self.refused(f"Endpoint: workers={wrong!r} is not allowed; it must be {allowed}", workers=wrong)

    def test_whole_numbers_at_their_limits(self) -> None:
        limits: dict[str, tuple[list[int], list[Any]]] = {
            "idle_timeout": ([1, 2, 3599, 3600], [0, 3601, "60", 1.5, True]),
            "gpu_count": ([1, 8], [0, -1, None]),
            "execution_timeout_ms": ([0, 1], [-1]),
            "scaler_value": ([1, 100], [0]),
            "max_concurrency": ([1, 200], [0, True]),
        }
        for name, (good, wrong) in limits.items():
            for value in good:
                self.settings(**{name: value})
            for value in wrong:
                with self.assertRaisesRegex(
                    ValueError, rf"Endpoint: {name}={value!r} is not allowed; it must be a whole number"
                ):
                    self.settings(**{name: value})
        self.refused(
            "Endpoint: idle_timeout=0 is not allowed; it must be a whole number from 1 to 3600 (s)", idle_timeout=0
        )

    def test_lists_of_texts(self) -> None:
        self.assertEqual(self.settings(dependencies=("a", "b>=1")).dependencies, ["a", "b>=1"])
        for name in ("dependencies", "system_dependencies"):
            self.refused(
                f"""Endpoint: {name}='numpy' is not allowed; it must be a list of strings, like ["pillow>=10"]""",
                **{name: "numpy"},
            )

    def test_the_environment(self) -> None:
        self.assertEqual(self.settings(env={"A": "1"}).env, {"A": "1"})
        self.refused(
            "Endpoint: env['A'] is not allowed; names and values must be strings, but it is int",
            env={"A": 1, "KEY": "secret"},
        )

    def test_enums_by_member_or_text(self) -> None:
        for name, member in (
            ("scaler_type", ServerlessScalerType.REQUEST_COUNT),
            ("min_cuda_version", CudaVersion.V12_8),
        ):
            for given in (member, member.value):
                self.settings(**{name: given})
            with self.assertRaisesRegex(ValueError, f"Endpoint: {name}='x' is not allowed; it must be one of "):
                self.settings(**{name: "x"})
        self.assertEqual(self.settings(datacenter=[DataCenter.EU_RO_1, "US-GA-2"]).datacenters, ["EU-RO-1", "US-GA-2"])
        self.refused(
            "Endpoint: python_version='3.9' is not allowed; it must be one of 3.10, 3.11, 3.12, 3.13",
            python_version="3.9",
        )

    def test_volumes_and_templates(self) -> None:
        volume = NetworkVolume(name="models", size=50, datacenter=DataCenter.EU_RO_1)
        self.assertEqual(self.settings(volume=volume).volumes, [volume])
        other = NetworkVolume(id="v1", datacenter="US-KS-2")
        self.assertEqual(self.settings(volume=[volume, other]).volumes, [volume, other])
        with self.assertRaisesRegex(ValueError, "volume=.*; it must be at most one volume for each datacenter"):
            self.settings(volume=[volume, NetworkVolume(name="b")])
        self.refused(
            "Endpoint: volume='models' is not allowed; it must be a NetworkVolume or a list of them", volume="models"
        )
        self.settings(template=PodTemplate(containerDiskInGb=20, somethingNew=1))
        self.refused("Endpoint: template={} is not allowed; it must be a PodTemplate", template={})
        for text, given in (
            ("NetworkVolume: either name or id must be given", {}),
            (
                "NetworkVolume: size=9 is not allowed; it must be a whole number from 10 to 4096 (GB)",
                {"name": "a", "size": 9},
            ),
            ("NetworkVolume: name=' ' is not allowed; it must be a non-empty string", {"name": " "}),
        ):
            with self.assertRaises(ValueError) as raised:
                NetworkVolume(**given)
            self.assertEqual(str(raised.exception), text)

    def test_names_ids_and_images(self) -> None:
        with self.assertRaisesRegex(ValueError, "Endpoint: id='a' and image='b' exclude each other; give one"):
            Endpoint(id="a", image="b")
        with self.assertRaisesRegex(ValueError, "Endpoint: image needs a name too"):
            Endpoint(image="b")
        with self.assertRaisesRegex(
            ValueError, "Endpoint: name='' is not allowed; it must be a non-empty string"
        ):
            Endpoint(name="")
        self.assertTrue(Endpoint(name="a b", image="i").is_client)
        with self.assertRaises(TypeError):
            Endpoint(name="x", wrong=1)  # type: ignore[call-arg]


class Patterns(unittest.TestCase):
    def test_mixing_is_refused_both_ways(self) -> None:
        api = Endpoint(name="api")
        api.get("/a")(lambda: 1)
        with self.assertRaisesRegex(
            ValueError, r"Endpoint\(name='api'\) has routes and cannot decorate f; use another"
        ):
            api(self.f)
        queue = Endpoint(name="queue")
        queue(self.f)
        with self.assertRaisesRegex(
            ValueError, r"Endpoint\(name='queue'\) decorates f and cannot have routes; use another"
        ):
            queue.get("/a")
        with self.assertRaisesRegex(ValueError, "decorates f already; f needs an Endpoint of its own"):
            queue(self.f)

    def test_routes(self) -> None:
        api = Endpoint(name="api")
        self.assertFalse(api.is_load_balanced)
        for method in ("get", "post", "put", "delete", "patch"):
            getattr(api, method)("/a")(self.f)
        self.assertTrue(api.is_load_balanced)

        def other() -> None: ...

        with self.assertRaisesRegex(ValueError, r"the route GET /a of other is that of f already"):
            api.get("/a")(other)
        with self.assertRaisesRegex(ValueError, r"path='a' is not allowed; it must begin with /"):
            api.get("a")
        with self.assertRaisesRegex(ValueError, r"the path /execute is reserved"):
            api.post("/execute")
        with self.assertRaisesRegex(TypeError, r"declares a route with POST /b and takes nothing but the path"):
            api.post("/b", {"x": 1})
        with self.assertRaisesRegex(ValueError, r"a load-balanced endpoint needs a name: .* before its route GET /a"):
            Endpoint().get("/a")

    def test_clients_decorate_nothing(self) -> None:
        client = Endpoint(id="e1")
        with self.assertRaisesRegex(TypeError, r"Endpoint\(id='e1'\) is a client and decorates nothing"):
            client(self.f)
        with self.assertRaisesRegex(
            TypeError, r'is a client: `await endpoint.get\("/a"\)` sends a request. Routes need'
        ):
            client.get("/a")(self.f)
        with self.assertRaisesRegex(TypeError, r"^Endpoint\.post\(\) got an unexpected keyword argument 'json'$"):
            client.post("/a", json={})

    def test_a_decorated_function_keeps_name_documentation_and_signature(self) -> None:
        import inspect

        def resize(image: str, width: int = 1) -> str:
            """Make it small."""
            return image

        made = Endpoint(cpu="cpu3c-1-2")(resize)
        self.assertEqual((made.__name__, made.__doc__), ("resize", "Make it small."))
        self.assertEqual(inspect.signature(made), inspect.signature(resize))

    @staticmethod
    def f() -> None: ...


class Import(unittest.TestCase):
    def test_is_quick_and_loads_nothing_of_the_network(self) -> None:
        # Against the modules of a network on the same machine at the same time, since a busy one stretches both. Quiet,
        # it takes some 20 ms and they 45.
        best_s = {module: min(self.took_s(module) for _ in range(10)) for module in ("svc", "asyncio")}
        self.assertLess(best_s["svc"], 0.7 * best_s["asyncio"])

    def took_s(self, module: str) -> float:
        """How long the processor takes to import a module, in s. Of `svc` it also asks what must not come with it."""
        code = (
            f"import time; began = time.process_time(); import {module}; took = time.process_time() - began; import sys;"
            "slow = {'asyncio', 'inspect', 'http.client', 'socket', 'ssl', 'dataclasses'} & set(sys.modules);"
            "print(took); print(sorted(slow))"
        )
        run = subprocess.run(
            [sys.executable, "-S", "-c", code], env={"PYTHONPATH": str(PYTHON)}, capture_output=True, text=True
        )
        took, slow = run.stdout.splitlines()
        if module == "svc":
            self.assertEqual(slow, "[]", run.stderr)
        return float(took)
