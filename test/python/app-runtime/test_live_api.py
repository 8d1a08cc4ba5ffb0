"""Apis whose source is sent to them."""

import hashlib
import os
import textwrap

from api_sources import COUNTER, WEB, plain
from runtime_support import API, PACKAGES, RUNTIME, Program, RuntimeTest, needs_package


@needs_package
class LiveApi(RuntimeTest):
    def api(self, resource: str, **env: str) -> Program:
        path = f"{RUNTIME}{os.pathsep}{PACKAGES}"
        return self.listen(API, RUNPOD_DEV_RESOURCE=resource, RUNPOD_DEV_APP="shop", PYTHONPATH=path, **env)

    def source(self, source: str, resource: str) -> dict[str, object]:
        return {
            "source": textwrap.dedent(source),
            "resource": resource,
            "dependencies": None,
            "system_dependencies": None,
        }

    def test_a_source_that_is_synced_answers_until_another_one_comes(self) -> None:
        api = self.api("Counter")
        self.assertEqual(api.ask("GET", "/ping").status, 200)
        self.assertEqual(api.ask("GET", "/value").status, 503)
        first = self.source(plain(COUNTER), "Counter")
        self.assertEqual(api.ask("POST", "/_runpod/sync", first).json, {"success": True})
        self.assertEqual(api.ask("POST", "/bump", {"by": 3}).json, {"count": 3})
        # The same source again, from another session, keeps what the worker holds.
        self.assertEqual(api.ask("POST", "/_runpod/sync", first).status, 200)
        self.assertEqual(api.ask("GET", "/value").json, {"count": 3})
        edited = self.source(plain(COUNTER).replace("self.count = 0", "self.count = 100"), "Counter")
        self.assertEqual(api.ask("POST", "/_runpod/sync", edited).status, 200)
        self.assertEqual(api.ask("GET", "/value").json, {"count": 100})

    def test_a_source_that_does_not_load_is_answered_with_the_traceback_and_the_last_good_one_serves_on(self) -> None:
        api = self.api("web")
        self.assertEqual(api.ask("POST", "/_runpod/sync", self.source(WEB, "web")).status, 200)
        broken = api.ask("POST", "/_runpod/sync", self.source("raise ValueError('asked to break')", "web"))
        self.assertEqual(broken.status, 500)
        self.assertRegex(broken.json["error"], r"(?s)^Traceback .*\nValueError: asked to break$")
        missing = api.ask("POST", "/_runpod/sync", self.source(plain(COUNTER), "web"))
        self.assertEqual((missing.status, missing.json["error"]), (500, 'the source declares no api "web"'))
        self.assertEqual(api.ask("GET", "/greet/Ada").json, "hello Ada")
        self.assertIn("web ends", api.terminate())

    def test_sources_are_taken_from_no_browser_and_only_with_the_token_if_there_is_one(self) -> None:
        api = self.api("web")
        sent = self.source(WEB, "web")
        self.assertEqual(api.ask("GET", "/_runpod/sync").status, 405)
        self.assertEqual(api.ask("POST", "/_runpod/sync", sent, origin="http://evil.example").status, 403)
        self.assertEqual(api.ask("POST", "/_runpod/sync", "{}", content_type="text/plain").status, 403)
        self.assertEqual(api.ask("POST", "/_runpod/sync", "{", content_type="application/json").status, 400)
        self.assertEqual(api.ask("POST", "/_runpod/sync", {"source": 1}).status, 400)
        guarded = self.api("web", RUNPOD_AI_API_KEY="secret")
        proof = hashlib.sha256(b"secret").hexdigest()
        self.assertEqual(guarded.ask("POST", "/_runpod/sync", sent).status, 403)
        self.assertEqual(guarded.ask("POST", "/_runpod/sync", sent, x_drydock_worker="wrong").status, 403)
        self.assertEqual(guarded.ask("POST", "/_runpod/sync", sent, x_drydock_worker=proof).status, 200)
