"""Hooks run once before a worker takes jobs."""

import json

from runtime_support import RuntimeTest, needs_package

from svc_worker._protocol import RUNTIME_VERSION


@needs_package
class Hooks(RuntimeTest):
    def test_init_runs_once_before_the_first_job(self) -> None:
        source = """
            import runpod
            app = runpod.App("shop")
            made = []

            @app.queue(cpu="cpu3c-1-2")
            def look(): return made

            @look.init
            ASYNCdef load():
                made.append("model")
                print("model loaded")
        """
        for kind in ("", "async "):
            service, worker = self.deployed(source.replace("ASYNC", kind), "look")
            self.wait_for_log(worker, "model loaded")
            for _ in range(2):
                self.assertEqual(service.result(service.submit({"__empty": True})), {"output": ["model"]})

    def test_an_init_that_fails_ends_the_start_with_a_sentence(self) -> None:
        source = """
            import runpod
            app = runpod.App("shop")

            @app.queue(cpu="cpu3c-1-2")
            def look(): ...

            @look.init
            def load(): raise RuntimeError("no card")
        """
        _, worker = self.deployed(source, "look")
        lines = self.fails_to_start(worker)
        self.assertEqual(lines[-1], '@init of resource "look" failed: RuntimeError: no card')
        self.assertRegex("\n".join(lines), r'File ".*/main\.py", line \d+, in load')

    def test_prestart_hooks_run_in_order_and_a_failing_one_is_told_to_the_job(self) -> None:
        source = """
            import runpod
            from runpod.serverless import register_prestart_hook
            app = runpod.App("shop")
            ran = []

            @register_prestart_hook
            def first(): ran.append("first")

            @register_prestart_hook
            async def second():
                ran.append("second")
                print("looking for the disk")
                if FAIL: raise OSError("no disk")

            @app.queue(cpu="cpu3c-1-2")
            def look(): return ran
        """
        service, _ = self.deployed(source.replace("FAIL", "False"), "look")
        self.assertEqual(service.result(service.submit({})), {"output": ["first", "second"]})
        for env in ({}, {"RUNPOD_LOG_CAPTURE": "off"}):
            service, _ = self.deployed(source.replace("FAIL", "True"), "look", **env)
            result = service.result(service.submit({}))
            self.assertEqual(result["stopPod"], True)
            error = json.loads(result["error"])
            self.assertRegex(error.pop("error_traceback"), r'File ".*/main\.py", line \d+, in second')
            self.assertEqual(error.pop("runpod_version"), RUNTIME_VERSION)
            self.assertTrue(error.pop("worker_id"))
            logs = {} if env else {"logs": "looking for the disk\n"}
            expected = {"event": "prestart_failed", "error_type": "OSError", "error_message": "no disk"}
            self.assertEqual(error, {**expected, "hook": "second", **logs})
