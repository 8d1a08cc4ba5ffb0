"""Names of the images of a job, which become a part of a form."""

from __future__ import annotations

import unittest

import comfy_support  # noqa: F401  the folder of the worker
from comfy_worker._failure import Failure
from comfy_worker._prompt import upload_images
from comfy_worker._server import Server


class Uploads(unittest.TestCase):
    def test_a_name_cannot_add_fields_to_the_form(self) -> None:
        name = 'a.png"\r\n\r\nx\r\n--mark\r\nContent-Disposition: form-data; name="type"\r\n\r\noutput'
        for one in (name, "a\x00.png", "a\n.png"):
            with self.assertRaises(Failure) as raised:
                upload_images(Server("http://127.0.0.1:9"), [{"name": one, "image": "aGVsbG8="}], lambda: None)
            (detail,) = raised.exception.facts["details"]
            self.assertIn("the name has control characters", detail)


if __name__ == "__main__":
    unittest.main()
