"""Errors of an app, and its environment before it is imported."""

import json

from runtime_support import QUEUE, RuntimeTest, needs_package

APP = """
    import runpod
    app = runpod.App("shop")

    @app.queue(cpu="cpu3c-1-2", system_dependencies=["sh", "not-there-at-all"])
    def double(x: int): return x * 2

    @app.api(cpu="cpu3c-1-2")
    def web(): ...
"""


@needs_package
class Mounts(RuntimeTest):
    SOURCE = """
        import runpod
        app = runpod.App("shop")
        data = runpod.NetworkVolume("data")

        @app.queue(cpu="cpu3c-1-2", mounts={"/runpod-volume": data})
        def read(): return (data.path / "a.txt").read_text()
    """

    def mounts(self, **changes: object) -> str:
        return json.dumps([{"kind": "network", "reference": "data", "id": "vol1", "path": "/runpod-volume", **changes}])

    def test_a_volume_knows_its_path(self) -> None:
        volume = self.folder()
        (volume / "a.txt").write_text("from the volume")
        service, _ = self.deployed(self.SOURCE, "read", RUNPOD_MOUNTS=self.mounts(path=str(volume)))
        self.assertEqual(service.result(service.submit({})), {"output": "from the volume"})

    def test_wrong_ones_end_the_start_with_a_sentence(self) -> None:
        wrong = "RUNPOD_MOUNTS is wrong: "
        cases = {
            "[": f"{wrong}it is not JSON",
            "{}": f"{wrong}it must be a list of mounts",
            "[1]": f"{wrong}mount 1 must be an object",
            self.mounts(kind="disk"): f"{wrong}mount 1 must be of kind network or global, not 'disk'",
            self.mounts(id=""): f"{wrong}mount 1 has no id",
            self.mounts(path="data"): f"{wrong}mount 1 must have an absolute path without '..', not 'data'",
            self.mounts(path="/a/../b"): f"{wrong}mount 1 must have an absolute path without '..', not '/a/../b'",
        }
        folder = self.artifact(self.SOURCE)
        for text, sentence in cases.items():
            _, worker = self.worker(RUNPOD_APP_DIR=str(folder), FLASH_RESOURCE_NAME="read", RUNPOD_MOUNTS=text)
            self.assertTrue(self.fails_to_start(worker)[-1].startswith(sentence), worker.log())


@needs_package
class Starts(RuntimeTest):
    def start_of(self, folder: object, resource: str = "double") -> str:
        _, worker = self.worker(RUNPOD_APP_DIR=str(folder), FLASH_RESOURCE_NAME=resource)
        return self.fails_to_start(worker)[-1]

    def test_what_is_wrong_with_an_app_is_the_last_line_of_the_log(self) -> None:
        folder = self.artifact(APP)
        self.assertEqual(
            self.start_of(folder, "nothing"),
            f'the app in {folder} has no resource "nothing"; it has double, web',
        )
        self.assertEqual(
            self.start_of(folder, "web"), '"web" is a resource of kind api, and this worker runs kind queue'
        )
        self.assertEqual(
            self.start_of(folder / "none"), f"there is no app: {folder}/none/runpod_manifest.json does not exist"
        )

    def test_a_module_that_is_missing_or_does_not_import(self) -> None:
        folder = self.artifact(APP)
        (folder / "main.py").write_text("import not_there_at_all\n")
        problem = 'module "main" of resource "double" does not import: '
        self.assertEqual(self.start_of(folder), f"{problem}ModuleNotFoundError: No module named 'not_there_at_all'")
        (folder / "main.py").write_text("import runpod\napp = runpod.App('shop')\n")
        self.assertEqual(
            self.start_of(folder),
            'module "main" declares no resource "double", which the app was built with: deploy it again',
        )
        (folder / "main.py").unlink()
        self.assertEqual(self.start_of(folder), f"{problem}ModuleNotFoundError: No module named 'main'")

    def test_missing_packages_of_the_system_are_named_in_the_log(self) -> None:
        service, worker = self.deployed(APP, "double")
        self.assertEqual(service.result(service.submit({"x": 1})), {"output": 2})
        mend = "A process has those of its machine: sudo apt-get install not-there-at-all;"
        self.assertIn(f"packages of the system are missing: not-there-at-all. {mend}", worker.log())

    def test_the_handler_file_lets_svc_worker_import_no_package_before_the_app_is_found(self) -> None:
        self.assertNotIn(b"runpod", QUEUE.read_bytes())

    def test_what_mends_an_import_is_said(self) -> None:
        folder = self.artifact(APP)
        manifest = json.loads((folder / "runpod_manifest.json").read_text())
        (folder / "main.py").write_text("import not_there_at_all\n")
        (folder / "runpod_manifest.json").write_text(json.dumps({**manifest, "excludedPackages": ["not_there_at_all"]}))
        self.assertRegex(self.start_of(folder), r"not_there_at_all to the image; for a process: \S+ -m pip install")
        (folder / "runpod_manifest.json").write_text(json.dumps({**manifest, "pythonVersion": "3.99"}))
        self.assertRegex(self.start_of(folder), r"are for Python 3\.99, and this worker runs Python 3\.\d+\.$")
        (folder / "env").unlink()
        (folder / "main.py").write_text("import runpod\n")
        self.assertRegex(self.start_of(folder), r"The app needs the package runpod 2\.0; this Python has \S+\.$")
