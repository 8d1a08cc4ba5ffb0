"""Ray Serve with a handler that does nothing. Arguments: port, folder for its files. Prints a line when it answers."""

import signal
import sys
import threading

import ray
from ray import serve
from starlette.responses import JSONResponse


@serve.deployment(num_replicas=1, max_ongoing_requests=1000)
class Nothing:
    async def __call__(self, _request: object) -> JSONResponse:
        return JSONResponse({})


stopped = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: stopped.set())
ray.init(include_dashboard=False, log_to_driver=False, logging_level="error", _temp_dir=sys.argv[2])
serve.start(http_options={"host": "127.0.0.1", "port": int(sys.argv[1])})
serve.run(Nothing.bind(), route_prefix="/")
print("drydock-bench ready", flush=True)
stopped.wait()
serve.shutdown()
ray.shutdown()
