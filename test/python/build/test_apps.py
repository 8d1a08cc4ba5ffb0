"""Programs of the package runpod 2.0: what an App declares, read without running it."""

from __future__ import annotations

import unittest
from typing import Any

from scanning import HELLO, ScanTest

APP = "import runpod\nfrom runpod import App, GpuGroup, GpuType\n\napp = App('shop')\n"


class AppTest(ScanTest):
    def app(self, source: str, **files: str) -> list[dict[str, Any]]:
        """The endpoints of a program whose first four lines are those above."""
        return self.endpoints({"main.py": APP + source, **files})

    def settings_of(self, arguments: str, decorator: str = "queue") -> dict[str, Any]:
        (found,) = self.app(f"@app.{decorator}({arguments})\ndef work(): ...\n")
        settings: dict[str, Any] = found["settings"]
        return settings

    def app_errors(self, source: str, **files: str) -> list[str]:
        return self.errors({"main.py": APP + source, **files})


class ResourcesTest(AppTest):
    def test_a_queue_an_api_and_a_task(self) -> None:
        found = self.app(
            "@app.queue()\ndef work(n: int): ...\n"
            "@app.api(name='web')\nclass Web:\n    @runpod.get('/a')\n    def a(self): ...\n"
            "@app.task()\nasync def train(): ...\n"
        )
        kinds = [(one["name"], one["kind"], one["sdk"], one["module"], one["qualname"]) for one in found]
        self.assertEqual(
            kinds,
            [
                ("work", "queue", 2, "main", "work"),
                ("web", "load-balanced", 2, "main", "Web"),
                ("train", "task", 2, "main", "train"),
            ],
        )
        self.assertEqual(self.scan({})["app"], {"name": "shop", "file": "main.py", "line": 4})

    def test_an_app_of_another_file_and_under_other_names(self) -> None:
        files = {
            "shop/__init__.py": "",
            "shop/app.py": "import runpod as rp\nNAME = 'shop'\napp = rp.App(name=NAME)\n",
            "shop/work.py": "from shop.app import app as mine\n@mine.queue(name='one')\ndef work(): ...\n",
            "main.py": "from shop import app as module\n@module.app.task()\ndef train(): ...\n",
        }
        found = self.endpoints(files)
        self.assertEqual([(one["name"], one["module"]) for one in found], [("train", "main"), ("one", "shop.work")])

    def test_functions_may_be_imported_anywhere_and_their_calls_are_found(self) -> None:
        main = "import numpy\nfrom work import greet\n@app.queue()\ndef relay():\n    return greet.remote('a')\n"
        work = "from runpod import App\nfrom main import app\n@app.queue()\ndef greet(name): ...\n"
        document = self.scan({"main.py": APP + main, "work.py": work})
        self.assertEqual((document["errors"], document["warnings"]), ([], []))
        calls = {one["name"]: (one["makesRemoteCalls"], one["calls"]) for one in document["endpoints"]}
        self.assertEqual(calls, {"relay": (True, ["greet"]), "greet": (False, [])})

    def test_routes_of_a_class_are_sorted_by_method_and_may_be_inherited(self) -> None:
        (found,) = self.app(
            "from runpod import post\nclass Base:\n    @runpod.delete('/b')\n    def b(self): ...\n"
            "@app.api()\nclass Web(Base):\n    PREFIX = '/v1'\n    @runpod.init\n    def load(self): ...\n"
            "    @post(PREFIX + '/z')\n    async def a(self, body: dict): ...\n"
        )
        routes = [(one["name"], one["httpMethod"], one["httpPath"], one["isAsync"]) for one in found["functions"]]
        self.assertEqual(routes, [("a", "POST", "/v1/z", True), ("b", "DELETE", "/b", False)])
        self.assertEqual([one["name"] for one in found["functions"][0]["parameters"]], ["body"])

    def test_a_function_that_gives_an_application(self) -> None:
        (found,) = self.app("@app.api()\ndef web():\n    from fastapi import FastAPI\n    return FastAPI()\n")
        self.assertEqual((found["kind"], found["functions"][0]["httpPath"]), ("load-balanced", None))

    def test_no_handler_file_is_written(self) -> None:
        from svc_build._handlers import write_handlers

        document = self.scan({"main.py": APP + "@app.queue()\ndef work(): ...\n"})
        write_handlers(document, str(self.root / "handlers"))
        self.assertEqual(list((self.root / "handlers").iterdir()), [])


class SettingsTest(AppTest):
    def test_cards_by_member_group_name_and_piece_of_a_name(self) -> None:
        h100 = ["NVIDIA H100 80GB HBM3", "NVIDIA H100 PCIe", "NVIDIA H100 NVL"]
        for written, wanted in {
            "GpuType.NVIDIA_H100_NVL": ["NVIDIA H100 NVL"],
            "[GpuGroup.ADA_24, 'nvidia l4']": ["ADA_24", "NVIDIA L4"],
            "'H100'": h100,
            "'any'": ["any"],
            "'NVIDIA_B200'": ["NVIDIA B200"],
        }.items():
            self.assertEqual(self.settings_of(f"gpu={written}"), {"gpu": wanted})

    def test_secrets_models_and_volumes(self) -> None:
        found = self.settings_of(
            "env={'TOKEN': runpod.Secret('hf'), 'N': 3, 'ON': True}, model=runpod.Model('owner/name:main'), "
            "mounts={'/runpod-volume/': runpod.NetworkVolume('models', size=20)}"
        )
        self.assertEqual(
            found,
            {
                "env": {"TOKEN": "{{ RUNPOD_SECRET_hf }}", "N": "3", "ON": "True"},
                "model": "owner/name:main",
                "mounts": [{"kind": "network", "reference": "models", "path": "/runpod-volume"}],
            },
        )
        task = self.settings_of("mounts={'/a': runpod.GlobalVolume('all'), '/b': runpod.NetworkVolume('n')}", "task")
        self.assertEqual([mount["path"] for mount in task["mounts"]], ["/a", "/b"])

    def test_all_others_as_the_manifest_has_them(self) -> None:
        found = self.settings_of(
            "workers=(1, 2), idle_timeout=5, cpu='cpu3c-1-2', datacenter='eu_ro_1', scaler_type='request_count', "
            "scaler_value=2, max_concurrency=3, execution_timeout_ms=1, flashboot=False, accelerate_downloads=False, "
            "container_disk_gb=30, registry_auth='work', image='a/b:c', dependencies=None",
        )
        self.assertEqual(
            found,
            {
                "workers": [1, 2],
                "idle_timeout": 5,
                "cpu": ["cpu3c-1-2"],
                "datacenter": ["EU-RO-1"],
                "scaler_type": "REQUEST_COUNT",
                "scaler_value": 2,
                "max_concurrency": 3,
                "execution_timeout_ms": 1,
                "flashboot": False,
                "accelerate_downloads": False,
                "container_disk_gb": 30,
                "registry_auth": "work",
                "image": "a/b:c",
            },
        )
        self.assertEqual(self.settings_of("workers=4"), {"workers": [0, 4]})


class SchedulesTest(AppTest):
    def test_a_schedule_above_or_below_the_decorator_of_the_app(self) -> None:
        found = self.app(
            "DAILY = '0 3 * * *'\n@runpod.schedule(cron=DAILY)\n@app.queue()\ndef work(n=1): ...\n"
            "@app.task()\n@runpod.schedule(cron='@hourly')\ndef train(): ...\n"
        )
        self.assertEqual([one["settings"]["schedule"] for one in found], ["0 3 * * *", "@hourly"])

    def test_arguments_that_no_schedule_gives_are_a_warning(self) -> None:
        source = "@runpod.schedule(cron='@hourly')\n@app.queue()\ndef work(a, b=1, *, c, d=2): ...\n"
        document = self.scan({"main.py": APP + source})
        (warning,) = document["warnings"]
        self.assertEqual(warning["message"], "work needs a, c, but its schedule passes no arguments. Give them defaults.")


class MistakesTest(AppTest):
    def one(self, source: str) -> str:
        (found,) = self.app_errors(source)
        return found

    def test_values_that_are_wrong(self) -> None:
        for arguments, message in {
            "mounts={'/runpod-volume': runpod.NetworkVolume('n', sizes=1)}": r"invalid-value mounts .*'sizes'",
            "env={'A': []}": r"invalid-value env .* and A is neither",
            "idle_timeout=pick()": r"unresolved-value",
        }.items():
            found = self.one(f"@app.queue(name='work', {arguments})\ndef work(): ...\n")
            self.assertRegex(found, rf"^main.py:5 {message}")

    def test_variables_that_workers_get_from_the_service(self) -> None:
        for name in ("RUNPOD_API_KEY", "FLASH_RESOURCE_NAME", "SVC_ANY"):
            found = self.one(f"@app.queue(env={{'{name}': 'x'}})\ndef f(): ...\n")
            self.assertRegex(found, f"^main.py:5 refused env.{name}: is reserved, because the service sets it.")
        self.assertEqual(self.settings_of("env={'RUNPOD_LOG_LEVEL': 'DEBUG'}"), {"env": {"RUNPOD_LOG_LEVEL": "DEBUG"}})

    def test_what_the_package_refuses_has_its_place(self) -> None:
        """The sentences: test/sdk/refused-apps.test.ts."""
        source = "@app.task(\n    gpu='L3',\n    workers=1,\n)\ndef t(): ...\n"
        places = [found.split(" ")[:2] for found in self.app_errors(source)]
        self.assertEqual(places, [["main.py:6", "refused"], ["main.py:7", "refused"]])

    def test_decorators_that_are_wrong(self) -> None:
        for source, message in {
            "@app.queue\ndef f(): ...\n": "5 nothing-decorated .* write @app.queue\\(\\) above f",
            "@app.cron()\ndef f(): ...\n": "5 unknown-resource-kind @app.cron of f .* @app.queue\\(\\.\\.\\.\\), @app.api",
            "@app.queue()\nclass F: ...\n": "5 resource-of-class",
            "def f(): ...\ng = app.queue()(f)\n": "6 decorator-as-call",
            "def out():\n    @app.queue()\n    def f(): ...\n": "6 nested-function f is decorated inside of out",
        }.items():
            self.assertRegex(self.one(source), f"^main.py:{message}")

    def test_routes_that_are_wrong(self) -> None:
        web = "@app.api()\nclass Web:\n    @runpod.get('/ok')\n    def ok(self): ...\n"
        for source, message in {
            "    @runpod.get\n    def f(self): ...\n": '9 decorator-without-call @runpod.get needs a call: write @runpod.get\\("/path"\\)',
            "    @runpod.get('/{a}')\n    def f(self): ...\n    @runpod.get('/{b}')\n    def g(self): ...\n": "11 duplicate-route",
        }.items():
            self.assertRegex(self.one(web + source), f"^main.py:{message}")

    def test_two_apps_or_two_forms_in_one_folder(self) -> None:
        work = "@app.queue()\ndef work(): ...\n"
        (found,) = self.app_errors(work, **{"other.py": "import runpod\nother = runpod.App('other')\n"})
        self.assertRegex(found, r"^other.py:2 several-apps .* the first is in main.py line 4")
        (found,) = self.app_errors(work, **{"app.py": HELLO, "other.py": ""})
        self.assertRegex(found, r"^main.py:4 mixed-apps This App .* and the endpoint in app.py line 3 ")

    def test_a_name_that_is_not_known(self) -> None:
        (found,) = self.errors("import os\nimport runpod\napp = runpod.App(os.environ['A'])\n@app.queue()\ndef f(): ...\n")
        self.assertRegex(found, r"^app.py:3 unresolved-value name of App\(\.\.\.\) cannot be known")

    def test_the_older_worker_package_is_no_app(self) -> None:
        source = "import runpod\nfrom svc import Endpoint\n@Endpoint(name='a')\ndef a():\n    runpod.serverless.start({})\n"
        document = self.scan({"app.py": source, "runpod.py": ""})
        self.assertEqual(document["errors"], [])
        self.assertIsNone(document["app"])


if __name__ == "__main__":
    unittest.main()
