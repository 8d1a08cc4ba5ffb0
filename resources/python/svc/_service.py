"""Where the service is, and the key for it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

from svc._env_file import read_env_file
from svc._errors import NoKeyError

# source: the service's own default.
DEFAULT_BASE_URL = "http://127.0.0.1:8790"
_VARIABLES = ("SVC_BASE_URL", "SVC_API_KEY")


class Service(NamedTuple):
    """`base_url` without a slash at its end."""

    base_url: str
    key: str


def find_service() -> Service:
    """From SVC_BASE_URL and SVC_API_KEY, else a `.env` file upward from here, else what `drydock login` wrote.

    The key of a login goes to the address of that login only. Raises NoKeyError.
    """
    env = {name: value for name, value in os.environ.items() if name.startswith("SVC_") and value}
    # A worker has both, and no file is looked for.
    if any(name not in env for name in _VARIABLES):
        env = {**read_env_file(Path.cwd()), **env}
    login = {} if env.get("SVC_API_KEY") else _read_login()
    base_url = (env.get("SVC_BASE_URL") or login.get("url") or DEFAULT_BASE_URL).rstrip("/")
    key = env.get("SVC_API_KEY") or (login.get("key") if login.get("url", "").rstrip("/") == base_url else None)
    if not key:
        raise NoKeyError(base_url, *(name for name in _VARIABLES if not env.get(name)))
    return Service(base_url, key)


def pinned_certificate(base_url: str) -> str | None:
    """The certificate (PEM) that `drydock login` pinned for this address; None: what the system trusts counts."""
    login = _read_login()
    return login.get("certificate") if login.get("url", "").rstrip("/") == base_url else None


def login_file() -> Path:
    """The file of `drydock login`: JSON with `url`, `key` and perhaps `certificate`, readable for its owner only."""
    base = os.environ.get("XDG_CONFIG_HOME") or os.path.join(os.path.expanduser("~"), ".config")
    return Path(base) / "svc" / "credentials.json"


def _read_login() -> dict[str, str]:
    try:
        read = json.loads(login_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {name: value for name, value in read.items() if isinstance(value, str)} if isinstance(read, dict) else {}
