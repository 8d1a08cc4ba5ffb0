"""A tree of files copied between the stores of two nodes, whose engines run the real programs."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import socket
import struct
import subprocess
import sys
import threading
import unittest
from pathlib import Path
from typing import IO, Any

from running import PATIENCE_S, RUNTIME, RunsPrograms

CONTENT = b"print(1)\n" * 50_000
MANIFEST = json.dumps({"path": "a", "sha256": hashlib.sha256(CONTENT).hexdigest(), "size": len(CONTENT)}) + "\n"
TREE = hashlib.sha256(MANIFEST.encode()).hexdigest()
WISH = {"tree": TREE, "container": "drydock-s1-files"}


class Trees(RunsPrograms):
    def setUp(self) -> None:
        super().setUp()
        self.key = self.folder / "key"
        self.key.write_bytes(b"a key of the swarm")
        to = ("--to", f"unix:{self.folder}/service.sock", "--folder", str(self.folder), "--key", str(self.key))
        self.start_listening("hub", "--listen", "127.0.0.1:0", *to)

    def node(self, name: str) -> tuple[Path, str]:
        """Folder of its store, and address of its agent."""
        store = self.folder / name
        store.mkdir()
        engine = self.listener(self.folder / f"{name}.sock")
        threading.Thread(target=serve, args=(engine, store), daemon=True).start()
        about = ("--to", "127.0.0.1:1", "--key", str(self.key), "--service", "s", "--after", "1000")
        engine_at = ("--engine", str(self.folder / f"{name}.sock"))
        return store, self.start_listening("agent", "--listen", "127.0.0.1:0", *engine_at, *about)[1]

    def ask(self, wish: dict[str, str]) -> list[str]:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(PATIENCE_S)
            client.connect(str(self.folder / "hub.sock"))
            client.sendall(f"{json.dumps(wish)}\n".encode())
            said = b""
            while piece := client.recv(4096):
                said += piece
        return said.decode().splitlines()

    def test_goes_from_one_store_to_the_other(self) -> None:
        (store, source), (there, target) = self.node("one"), self.node("two")
        run(store, "receive", [{"begin": TREE, "owner": "o", "base": None, "removed": []}, MANIFEST.encode()])
        run(store, "receive", [{"begin": TREE, "owner": "o", "base": None, "removed": []}, MANIFEST.encode(),
                               {"blob": hashlib.sha256(CONTENT).hexdigest()}, CONTENT, {"end": True}, b""])  # fmt: skip
        said = self.ask({**WISH, "from": source, "to": target})
        self.assertEqual(said[-1], "ok")
        self.assertEqual(json.loads(said[-3]), {"sent": len(CONTENT), "of": len(CONTENT)})
        self.assertEqual((there / "trees" / TREE / "a").read_bytes(), CONTENT)

    def test_says_why_there_is_nothing_to_give(self) -> None:
        (_store, source), (_there, target) = self.node("one"), self.node("two")
        said = self.ask({**WISH, "from": source, "to": target})
        self.assertIn("does not have the files", json.loads(said[0])["why"])
        self.assertNotEqual(said[-1], "ok")

    def test_is_of_containers_with_files_alone(self) -> None:
        (_store, source), (_there, target) = self.node("one"), self.node("two")
        for other in ({"container": "db"}, {"tree": "../x"}):
            said = self.ask({**WISH, **other, "from": source, "to": target})
            self.assertEqual(said, ["that is no container with files, or no tree"])

    def test_says_that_it_broke(self) -> None:
        (_store, source), (_there, target) = self.node("one"), self.node("two")
        (self.folder / "two.sock").unlink()
        said = self.ask({**WISH, "from": source, "to": target})
        self.assertNotIn("ok", said)
        self.assertEqual(len(said), 1)


def run(store: Path, command: str, messages: list[Any]) -> None:
    text = b"".join(
        json.dumps({**about, "bytes": len(content)}).encode() + b"\n" + content
        for about, content in zip(messages[::2], messages[1::2])
    )
    subprocess.run([sys.executable, "-m", "svc_files", command, str(store)], input=text, stdout=subprocess.DEVNULL)


def serve(listener: socket.socket, store: Path) -> None:
    """An engine that runs commands in its one container, as Docker's does."""
    commands: list[list[str]] = []
    while True:
        try:
            client = listener.accept()[0]
        except OSError:
            return
        threading.Thread(target=answer, args=(client, store, commands), daemon=True).start()


def answer(client: socket.socket, store: Path, commands: list[list[str]]) -> None:
    stream = client.makefile("rwb")
    target = stream.readline().split()[1].decode()
    length = 0
    while (line := stream.readline().strip()) != b"":
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])
    body = json.loads(stream.read(length))
    if target.startswith("/containers/"):
        commands.append(body["Cmd"])
        made = json.dumps({"Id": f"{len(commands):064x}"}).encode()
        stream.write(b"HTTP/1.1 201 Created\r\nContent-Length: %d\r\n\r\n%s" % (len(made), made))
        stream.flush()
    else:
        stream.write(b"HTTP/1.1 101 UPGRADED\r\n\r\n")
        stream.flush()
        number = int(target.split("/")[2], 16)
        execute([sys.executable, *commands[number - 1][1:]], store, client, stream)
    with contextlib.suppress(OSError):
        client.shutdown(socket.SHUT_RDWR)
    client.close()


def execute(argv: list[str], store: Path, client: socket.socket, stream: Any) -> None:
    argv = [str(store) if one == "/files" else one for one in argv]
    env = {**os.environ, "PYTHONPATH": str(RUNTIME)}
    pipes: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = subprocess.Popen(argv, env=env, **pipes)
    one_at_a_time = threading.Lock()

    def out(number: int, output: IO[bytes]) -> None:
        with contextlib.suppress(OSError), output:
            while piece := output.read1(1 << 15):  # type: ignore[attr-defined]
                with one_at_a_time:
                    client.sendall(struct.pack(">B3xI", number, len(piece)) + piece)

    def into() -> None:
        with contextlib.suppress(OSError), process.stdin as given:  # type: ignore[union-attr]
            while piece := stream.read1(1 << 15):
                given.write(piece)
                given.flush()

    threading.Thread(target=into, daemon=True).start()
    outputs = [threading.Thread(target=out, args=pair) for pair in ((1, process.stdout), (2, process.stderr))]
    for one in outputs:
        one.start()
    for one in outputs:
        one.join()
    process.wait()


if __name__ == "__main__":
    unittest.main()
