"""Apis: classes with routes and applications of frameworks, deployed and live."""

from api_sources import COUNTER, WEB, plain
from runtime_support import API, Program, RuntimeTest, needs_package


@needs_package
class DeployedApi(RuntimeTest):
    def api(self, source: str, resource: str, **env: str) -> Program:
        folder = self.artifact(source)
        return self.listen(API, RUNPOD_APP_DIR=str(folder), FLASH_RESOURCE_NAME=resource, **env)

    def test_a_class_answers_at_its_routes_and_keeps_its_state(self) -> None:
        for kind in ("", "async "):
            api = self.api(COUNTER.replace("ASYNC", kind), "Counter")
            self.assertEqual(api.ask("POST", "/bump", {"by": 3}).json, {"count": 3})
            self.assertEqual(api.ask("POST", "/bump", {}).json, {"count": 4})
            self.assertEqual(api.ask("GET", "/value").json, {"count": 4})
            self.assertEqual(api.ask("GET", "/items/ab?times=2").json, "abab")
            self.assertEqual(api.ask("GET", "/items/ab?times=x").status, 422)
            self.assertEqual(api.ask("GET", "/nothing").status, 404)
            self.assertEqual(api.ask("GET", "/bump").status, 405)
            self.assertEqual(api.ask("GET", "/broken").status, 500)
            self.assertEqual(api.ask("GET", "/value").json, {"count": 4})
            printed = api.terminate()
            self.assertEqual(api.process.returncode, 0)
            self.assertIn("counter ready", printed)
            self.assertRegex(printed, r'File ".*/main\.py", line \d+, in broken')

    def test_health_is_answered_on_both_ports(self) -> None:
        health = self.own_port()
        api = self.api(plain(COUNTER), "Counter", PORT_HEALTH=str(health))
        for port in (None, health):
            self.assertEqual(api.ask("GET", "/ping", port=port).status, 200)
        self.assertEqual(api.ask("GET", "/value", port=health).status, 404)

    def test_an_application_of_a_framework_is_served_with_its_life(self) -> None:
        api = self.api(WEB, "web")
        self.assertEqual(api.ask("GET", "/greet/Ada%20L").json, "hello Ada L")
        tokens = api.ask("GET", "/tokens")
        self.assertEqual((tokens.body, tokens.headers["content-type"]), (b"alpha\nbeta\n", "text/plain; charset=utf-8"))
        self.assertEqual(tokens.headers["transfer-encoding"], "chunked")
        self.assertEqual(api.ask("POST", "/size", b"x" * 100_000).json, 100_000)
        self.assertEqual(api.ask("GET", "/ping").status, 200)
        self.assertEqual(api.ask("GET", "/openapi.json").json["paths"].keys(), {"/greet/{name}", "/tokens", "/size"})
        printed = api.terminate()
        self.assertLess(printed.index("web starts"), printed.index("web ends"))

    def test_its_own_health_decides(self) -> None:
        source = """
            import runpod
            app = runpod.App("shop")

            @app.api(name="web", cpu="cpu3c-1-2")
            def make():
                async def web(scope, receive, send):
                    assert scope["type"] == "http"
                    await send({"type": "http.response.start", "status": 204, "headers": []})
                    await send({"type": "http.response.body"})
                return web
        """
        health = self.own_port()
        api = self.api(source, "web", PORT_HEALTH=str(health))
        self.assertEqual([api.ask("GET", "/ping", port=port).status for port in (None, health)], [204, 204])

    def test_what_does_not_start_is_told(self) -> None:
        cases = {
            "def make(): return 5": 'resource "web" must return an ASGI application, not int',
            "def make(): raise OSError('no disk')": 'resource "web" gave no application: OSError: no disk',
        }
        for body, sentence in cases.items():
            source = f"import runpod\napp = runpod.App('shop')\n@app.api(name='web', cpu='cpu3c-1-2')\n{body}\n"
            folder = self.artifact(source)
            with self.assertRaises(AssertionError) as ended:
                self.listen(API, RUNPOD_APP_DIR=str(folder), FLASH_RESOURCE_NAME="web")
            self.assertEqual(str(ended.exception).splitlines()[-1], sentence)


@needs_package
class WithoutFastApi(RuntimeTest):
    def test_a_class_is_served_all_the_same(self) -> None:
        folder = self.artifact(plain(COUNTER))
        (folder / "fastapi.py").write_text("raise ImportError('not here')\n")
        api = self.listen(API, RUNPOD_APP_DIR=str(folder), FLASH_RESOURCE_NAME="Counter")
        self.assertEqual(api.ask("POST", "/bump", {"by": 3}).json, {"count": 3})
        self.assertEqual(api.ask("GET", "/items/ab?times=2").json, "abab")
        self.assertEqual(api.ask("GET", "/ping").json, {"status": "healthy"})
