"""Fetches one source of a workflow's worker image while it is built, and checks it.

    fetch.py git URL COMMIT FOLDER
    fetch.py registry ID VERSION FOLDER
    fetch.py file URL SHA256 FILE      (SHA256 may be -, if none is known)
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from typing import NoReturn

REGISTRY = os.environ.get("COMFY_REGISTRY", "https://api.comfy.org")
CACHE = "/tmp/downloads"
SECRETS = "/tmp/secrets"
LOOPBACK = ("127.0.0.1", "::1", "localhost")
WORK = os.environ.get("TMPDIR", "/tmp")
CHUNK = 1024 * 1024
TRIES = 3
# s; a server that is silent for longer is tried again.
SILENCE = 60
REPORT_EVERY = 2.0


def fail(reason: str) -> NoReturn:
    print(f"fetch: {reason}", file=sys.stderr)
    sys.exit(1)


def token_for(url: str) -> str | None:
    address = urllib.parse.urlsplit(url)
    host = address.hostname or ""
    path = os.path.join(SECRETS, host)
    # Without encryption, others could read it.
    if (address.scheme != "https" and host not in LOOPBACK) or not os.path.isfile(path):
        return None
    with open(path) as file:
        return file.read().strip()


def open_url(url: str):
    request = urllib.request.Request(url, headers={"User-Agent": "drydock"})
    if token := token_for(url):
        # Not sent on to where a redirect leads.
        request.add_unredirected_header("Authorization", f"Bearer {token}")
    return urllib.request.urlopen(request, timeout=SILENCE)


def download(url: str, path: str) -> str:
    """Writes the file, and returns its SHA-256."""
    for attempt in range(1, TRIES + 1):
        try:
            return _download(url, path)
        except urllib.error.HTTPError as error:
            if error.code in (401, 403):
                fail(f"{url} answered {error.code}: it needs a token")
            if error.code < 500 or attempt == TRIES:
                fail(f"{url} answered {error.code}")
        except (OSError, EOFError) as error:
            if attempt == TRIES:
                fail(f"{url} cannot be downloaded: {getattr(error, 'reason', error)}")
        print(f"fetch: {url} is tried again", flush=True)
    raise AssertionError


def _download(url: str, path: str) -> str:
    digest = hashlib.sha256()
    done, reported = 0, time.monotonic()
    with open_url(url) as response, open(path, "wb") as file:
        total = int(response.headers.get("Content-Length") or 0)
        while chunk := response.read(CHUNK):
            file.write(chunk)
            digest.update(chunk)
            done += len(chunk)
            if time.monotonic() - reported >= REPORT_EVERY:
                reported = time.monotonic()
                print(f"downloaded {done // 10**6} of {total // 10**6} MB", flush=True)
        if total and done < total:
            raise EOFError(f"it ended after {done} of {total} bytes")
    return digest.hexdigest()


def fetch_file(url: str, sha256: str, path: str) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.makedirs(CACHE, exist_ok=True)
    cached = os.path.join(CACHE, sha256)
    if sha256 != "-" and os.path.exists(cached) and _hash(cached) == sha256:
        shutil.copyfile(cached, path)
        return
    partial = os.path.join(CACHE, f".{os.getpid()}.part")
    found = download(url, partial)
    if sha256 not in ("-", found):
        os.unlink(partial)
        fail(f"{url} is another file: its SHA-256 is {found}, and the lock names {sha256}")
    shutil.copyfile(partial, path)
    os.replace(partial, os.path.join(CACHE, found))


def _hash(path: str) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def fetch_git(url: str, commit: str, folder: str) -> None:
    if shutil.which("git"):
        os.makedirs(folder, exist_ok=True)
        environment = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
        for command in (
            ["init", "--quiet"],
            ["fetch", "--quiet", "--depth", "1", "--", url, commit],
            ["checkout", "--quiet", "--detach", commit],
            ["submodule", "--quiet", "update", "--init", "--recursive", "--depth", "1"],
        ):
            if subprocess.run(["git", "-C", folder, *command], env=environment).returncode != 0:
                fail(f"commit {commit} of {url} cannot be fetched with git")
        for name in (".git", ".gitmodules"):
            path = os.path.join(folder, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.path.exists(path) and os.unlink(path)
        return
    base = url.removesuffix("/").removesuffix(".git")
    is_gitlab = "gitlab" in (urllib.parse.urlsplit(base).hostname or "")
    archive = f"{base}/-/archive/{commit}/source.tar.gz" if is_gitlab else f"{base}/archive/{commit}.tar.gz"
    path = os.path.join(WORK, ".source.tar.gz")
    download(archive, path)
    unpacked = os.path.join(WORK, ".source")
    with tarfile.open(path) as tar:
        # Pythons before 3.11.4 have no filter.
        tar.extractall(unpacked, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    os.unlink(path)
    (top,) = os.listdir(unpacked)
    shutil.copytree(os.path.join(unpacked, top), folder, symlinks=True, dirs_exist_ok=True)
    shutil.rmtree(unpacked)


def fetch_registry(name: str, version: str, folder: str) -> None:
    quoted = urllib.parse.quote(name, safe="")
    query = urllib.parse.urlencode({"version": version})
    path = os.path.join(WORK, ".registry")
    download(f"{REGISTRY}/nodes/{quoted}/install?{query}", path)
    with open(path) as file:
        url = json.load(file).get("downloadUrl")
    if not isinstance(url, str):
        fail(f"the registry names no file for {name} {version}")
    download(url, path)
    with open(path, "rb") as file, zipfile.ZipFile(io.BytesIO(file.read())) as archive:
        archive.extractall(folder)
    os.unlink(path)


if __name__ == "__main__":
    kind, source, version, target = sys.argv[1:]
    {"git": fetch_git, "registry": fetch_registry, "file": fetch_file}[kind](source, version, target)
