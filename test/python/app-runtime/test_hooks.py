"""What runs once before a worker takes jobs."""

from runtime_support import RuntimeTest, needs_package


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

    def test_prestart_hooks_run_in_order_and_a_failing_one_ends_the_start(self) -> None:
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
                if FAIL: raise OSError("no disk")

            @app.queue(cpu="cpu3c-1-2")
            def look(): return ran
        """
        service, _ = self.deployed(source.replace("FAIL", "False"), "look")
        self.assertEqual(service.result(service.submit({})), {"output": ["first", "second"]})
        _, worker = self.deployed(source.replace("FAIL", "True"), "look")
        self.assertEqual(self.fails_to_start(worker)[-1], 'the prestart hook "second" failed: OSError: no disk')
