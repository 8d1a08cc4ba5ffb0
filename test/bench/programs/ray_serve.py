"""The handler that does nothing in Ray Serve. Arguments: port, folder for its files."""

import signal
import sys
import threading

import ray
from no_op import handler
from ray import serve
from starlette.requests import Request


@serve.deployment(num_replicas=1, max_ongoing_requests=1000)
class NoOp:
    async def __call__(self, request: Request) -> dict:
        return handler(await request.json())


stopped = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: stopped.set())
ray.init(include_dashboard=False, log_to_driver=False, logging_level="error", _temp_dir=sys.argv[2])
serve.start(http_options={"host": "127.0.0.1", "port": int(sys.argv[1])})
serve.run(NoOp.bind(), route_prefix="/")
stopped.wait()
serve.shutdown()
ray.shutdown()
