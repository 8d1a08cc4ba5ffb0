"""Where a call goes: app, environment, service and key; the 300 s of an address."""

import asyncio
import os
from pathlib import Path

from app_support import PackageTest

from svc import NoContextError, NoKeyError, NotDeployedError, ServiceError
from svc._calls import AddressBook
from svc._context import Context, find_context
from svc._service import Service, find_service

ONE = """
    from svc import Endpoint
    @Endpoint(name="one")
    def one(): return 1
"""


class TheContext(PackageTest):
    def test_without_one_the_error_names_both_ways_out(self) -> None:
        worker = self.app(ONE)
        with self.assertRaises(NoContextError) as raised:
            asyncio.run(worker.one())
        self.assertEqual(
            str(raised.exception),
            'there is no context for the endpoint "one": nothing says in which app and environment it runs. '
            "Either use local development mode (run `drydock deploy --preview` in the project's folder, and this "
            "script in the same folder), or set SVC_APP and SVC_ENV to the app and environment that it was deployed to",
        )
        self.assertIsInstance(raised.exception, RuntimeError)

    def test_the_variables_come_first(self) -> None:
        (self.folder / ".svc").mkdir()
        os.environ.update(SVC_APP="shop", SVC_ENV="staging")
        self.assertEqual(find_context("one"), Context("shop", "staging"))
        del os.environ["SVC_ENV"]
        self.assertEqual(find_context("one"), Context("shop", "production"))

    def test_the_environment_counts_without_the_app(self) -> None:
        self.write("my-app/pyproject.toml", "")
        os.chdir(self.folder / "my-app")
        os.environ["SVC_ENV"] = "staging"
        self.assertEqual(find_context("one"), Context("my-app", "staging"))

    def test_those_of_the_public_tool_count_too(self) -> None:
        os.environ.update(FLASH_APP="shop", FLASH_ENV="staging")
        self.assertEqual(find_context("one"), Context("shop", "staging"))

    def test_the_project_folder_is_found_upward_by_either_mark(self) -> None:
        for mark in ("my-app/.svc/x", "other-app/pyproject.toml"):
            app = mark.split("/")[0]
            self.write(mark, "")
            deep = self.folder / app / "a" / "b"
            deep.mkdir(parents=True)
            os.chdir(deep)
            self.assertEqual(find_context("one"), Context(app, "production"))

    def test_the_folder_of_the_function_is_the_second_choice(self) -> None:
        self.write("my-app/pyproject.toml", "")
        code = self.write("my-app/src/worker.py", "")
        self.assertEqual(find_context("one", str(code)).app, "my-app")

    def test_an_endpoint_that_is_not_deployed_says_where(self) -> None:
        service = self.start_service(app="shop", environment="staging")
        with self.assertRaises(NotDeployedError) as raised:
            asyncio.run(self.app(ONE).one())
        self.assertEqual(
            str(raised.exception),
            f'the endpoint "one" is not deployed in app "shop", environment "staging" of {service.url}: run '
            "`drydock deploy` in the project's folder, or check SVC_APP and SVC_ENV",
        )


class TheService(PackageTest):
    def log_in(self, url: str) -> None:
        self.write("config/svc/credentials.json", f'{{"url": "{url}", "key": "of-login"}}')

    def test_variables_come_first_then_the_env_file_then_the_login(self) -> None:
        self.log_in("http://login:1")
        self.assertEqual(find_service(), Service("http://login:1", "of-login"))
        self.write(".env", "SVC_BASE_URL=http://file:2/\nSVC_API_KEY=of-file")
        self.assertEqual(find_service(), Service("http://file:2", "of-file"))
        os.environ.update(SVC_BASE_URL="http://variable:3", SVC_API_KEY="of-variable")
        self.assertEqual(find_service(), Service("http://variable:3", "of-variable"))

    def test_the_env_file_is_found_upward(self) -> None:
        self.write(".env", "SVC_API_KEY=of-file")
        (self.folder / "a" / "b").mkdir(parents=True)
        os.chdir(self.folder / "a" / "b")
        self.assertEqual(find_service(), Service("http://127.0.0.1:8790", "of-file"))

    def test_a_login_is_not_sent_to_another_address(self) -> None:
        self.log_in("http://login:1")
        self.write(".env", "SVC_BASE_URL=http://evil:2")
        with self.assertRaises(NoKeyError):
            find_service()

    def test_without_a_key_the_error_names_the_variables_that_are_missing(self) -> None:
        for address, place, missing in (
            (None, "http://127.0.0.1:8790", "SVC_BASE_URL and SVC_API_KEY"),
            ("http://other:1", "http://other:1", "SVC_API_KEY"),
        ):
            if address is not None:
                os.environ["SVC_BASE_URL"] = address
            with self.subTest(address), self.assertRaises(NoKeyError) as raised:
                find_service()
            self.assertEqual(
                str(raised.exception),
                f"there is no key for the service at {place}: set {missing} in the environment or in a .env file of "
                "the project, or run `drydock login`",
            )

    def test_an_empty_variable_and_a_broken_login_are_none(self) -> None:
        os.environ["SVC_API_KEY"] = ""
        self.write("config/svc/credentials.json", "[]")
        with self.assertRaises(NoKeyError):
            find_service()
        Path("config/svc/credentials.json").write_text("{")
        with self.assertRaises(NoKeyError):
            find_service()


class Addresses(PackageTest):
    def setUp(self) -> None:
        super().setUp()
        self.fake = self.start_service()
        self.fake.deploy("one")
        self.service = find_service()
        self.context = find_context("one")
        self.now = 1000.0
        self.book = AddressBook(lambda: self.now)

    def find(self) -> str:
        return self.book.find(self.service, self.context, "one", "one").url

    def asked(self) -> int:
        return len(self.fake.of("/graphql"))

    def test_are_kept_for_300_s(self) -> None:
        for at, asked in ((0, 1), (299.9, 1), (300, 2), (599.9, 2), (600, 3)):
            self.now = 1000 + at
            self.find()
            self.assertEqual((at, self.asked()), (at, asked))

    def test_a_new_address_is_taken_after_300_s(self) -> None:
        before = self.find()
        self.fake.endpoints["one"]["url"] = f"{self.fake.url}/v2/new"
        self.assertEqual(self.find(), before)
        self.now += 300
        self.assertEqual(self.find(), f"{self.fake.url}/v2/new")

    def test_a_stale_one_is_used_when_the_refresh_fails_and_the_next_try_waits(self) -> None:
        before = self.find()
        self.fake.reply("/graphql", (500, {"error": "broken"}))
        self.now += 300
        self.assertEqual(self.find(), before)
        self.now += 9.9
        self.assertEqual((self.find(), self.asked()), (before, 2))
        self.now += 0.1
        self.assertEqual((self.find(), self.asked()), (before, 3))

    def test_an_endpoint_that_is_gone_is_not_called_at_its_old_address(self) -> None:
        self.find()
        del self.fake.endpoints["one"]
        self.now += 300
        with self.assertRaises(NotDeployedError):
            self.find()

    def test_each_app_environment_and_service_has_its_own(self) -> None:
        self.find()
        self.book.find(self.service, Context("shop", "staging"), "one", "one")
        self.book.find(self.service, Context("other", "production"), "one", "one")
        self.assertEqual(self.asked(), 3)

    def test_errors_of_the_state_manager_are_told(self) -> None:
        self.fake.reply("/graphql", (200, {"errors": [{"message": "too deep"}]}))
        with self.assertRaisesRegex(ServiceError, "the state manager at .*/graphql answered: .*too deep"):
            self.find()
