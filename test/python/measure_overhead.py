"""Prints what the runtime adds to a no-op job: `python3 test/python/measure_overhead.py [sync|async] [concurrency]`.

The service is a bare socket loop in this process, so that next to nothing but the worker is measured. Both sides read
the same monotonic clock. Not a test: figures depend on the machine.
"""

import contextlib
import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from support import RUNTIME, FakeService

JOBS = 3000
WARM_UP = 200
HANDLER = "import time\n{kind} handler(job):\n    return time.monotonic_ns()\n"
EMPTY = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


def main(kind: str, concurrency: str) -> None:
    """Run one worker for JOBS jobs and print the spans."""
    listener = socket.create_server(("127.0.0.1", 0))
    service = FakeService()
    env = {**os.environ, **service.environment(), "PYTHONPATH": str(RUNTIME), "SVC_CONCURRENCY": concurrency}
    port = f":{listener.getsockname()[1]}/"
    env = {name: value.replace(f":{service.port}/", port) for name, value in env.items()}
    service.go_away()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "handler.py")
        file.write_text(HANDLER.format(kind="async def" if kind == "async" else "def"))
        started_at = time.monotonic_ns()
        with subprocess.Popen([sys.executable, "-m", "svc_worker", str(file)], env=env, cwd=folder) as worker:
            times = exchange_jobs(listener, started_at)
            worker.kill()
    for name, values in times.items():
        p50, p99 = statistics.median(values), statistics.quantiles(values, n=100)[98]
        print(f"{name:22} p50 {p50:8.0f} us   p99 {p99:8.0f} us   least {min(values):8.0f} us")


def exchange_jobs(listener: socket.socket, started_at: int) -> dict[str, list[float]]:
    """Answer takes with jobs, one at a time: the next is sent when the one before is done and a take is open."""
    times: dict[str, list[float]] = {"sent -> handler": [], "handler -> done here": [], "done -> next sent": []}
    sent_at: dict[str, int] = {}  # by job, so that no two jobs are ever compared with each other
    done_at = started_at
    may_send = threading.Semaphore(1)
    finished = threading.Event()

    def send_job(connection: socket.socket, batch: bool) -> None:
        may_send.acquire()
        job_id = f"job-{len(sent_at)}"
        job = json.dumps({"id": job_id, "input": {"x": 1}}).encode()
        body = b"[" + job + b"]" if batch else job
        answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        sent_at[job_id] = now = time.monotonic_ns()
        times["done -> next sent"].append((now - done_at) / 1000)
        connection.sendall(answer)

    def note_done(request: bytes, now: int) -> None:
        nonlocal done_at
        head, _, body = request.partition(b"\r\n\r\n")
        job_id = head.partition(b"?")[0].rpartition(b"/")[2].decode()
        handler_at = json.loads(body)["output"]
        times["sent -> handler"].append((handler_at - sent_at[job_id]) / 1000)
        times["handler -> done here"].append((now - handler_at) / 1000)
        done_at = now
        if len(sent_at) == JOBS + WARM_UP:
            finished.set()
        else:
            may_send.release()

    def serve(connection: socket.socket) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with contextlib.suppress(ConnectionError):  # the worker is killed at the end
            while request := connection.recv(65536):
                now = time.monotonic_ns()
                if b"/job-take" in request:
                    send_job(connection, batch=b"/job-take-batch/" in request)
                elif b"/job-stop/" not in request:  # a stop poll is held for ever
                    connection.sendall(EMPTY)
                    if b"/job-done/" in request:
                        note_done(request, now)

    def accept() -> None:
        while True:
            threading.Thread(target=serve, args=[listener.accept()[0]], daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    finished.wait()
    print(f"start of the process to its first take: {times['done -> next sent'][0] / 1000:.0f} ms")
    return {name: values[WARM_UP:] for name, values in times.items()}


if __name__ == "__main__":
    main(*(sys.argv[1:] + ["sync", "1"][len(sys.argv) - 1 :]))
