"""Requests to the ComfyUI server."""

from __future__ import annotations

import http.client
import json
import uuid
from typing import Any, NamedTuple
from urllib.parse import urlencode, urlsplit

# Seconds to read the history. source: the public image worker.
HISTORY_S = 30.0


class Answer(NamedTuple):
    status: int
    reason: str
    body: bytes
    url: str

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")

    def json(self) -> Any:
        """Raises ValueError."""
        return json.loads(self.body)

    @property
    def sentence(self) -> str:
        """The text that the public image worker shows for this status."""
        if self.status < 400:
            return f"{self.status} {self.reason} for url: {self.url}"
        return f"{self.status} {'Client' if self.status < 500 else 'Server'} Error: {self.reason} for url: {self.url}"


class Server:
    """A server at an http address. Proxies of the environment are not asked: it is in this container."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.host, self.port = parts.hostname or "127.0.0.1", parts.port or 80
        self.base = f"http://{parts.netloc}{parts.path.rstrip('/')}"
        self._path = parts.path.rstrip("/")
        self.name = parts.netloc

    def path(self, path: str, **query: str) -> str:
        return f"{self._path}/{path}{'?' + urlencode(query) if query else ''}"

    def ask(
        self, path: str, *, timeout: float, body: bytes | None = None, content_type: str = "application/json"
    ) -> Answer:
        """Raises OSError or http.client.HTTPException if no answer comes."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=timeout)
        try:
            headers = {} if body is None else {"Content-Type": content_type}
            connection.request("GET" if body is None else "POST", path, body=body, headers=headers)
            answer = connection.getresponse()
            return Answer(answer.status, answer.reason, answer.read(), f"{self.base}{path.removeprefix(self._path)}")
        finally:
            connection.close()

    def ask_json(self, path: str, *, timeout: float = HISTORY_S) -> Any:
        """Raises as `ask`, and ValueError for an answer that is no JSON or another status."""
        answer = self.ask(path, timeout=timeout)
        if answer.status != 200:
            raise ValueError(answer.sentence)
        return answer.json()

    def post_json(self, path: str, value: Any, *, timeout: float) -> Answer:
        return self.ask(path, timeout=timeout, body=json.dumps(value).encode())

    def post_form(self, path: str, fields: dict[str, str], name: str, content: bytes, *, timeout: float) -> Answer:
        """Posts a form with a file `image`."""
        mark = uuid.uuid4().hex
        quoted = name.replace("\\", "\\\\").replace('"', '\\"')
        parts = [
            f'--{mark}\r\nContent-Disposition: form-data; name="image"; filename="{quoted}"\r\n'
            f"Content-Type: image/png\r\n\r\n".encode() + content + b"\r\n"
        ]
        for field, value in fields.items():
            parts.append(f'--{mark}\r\nContent-Disposition: form-data; name="{field}"\r\n\r\n{value}\r\n'.encode())
        body = b"".join(parts) + f"--{mark}--\r\n".encode()
        return self.ask(path, timeout=timeout, body=body, content_type=f"multipart/form-data; boundary={mark}")
