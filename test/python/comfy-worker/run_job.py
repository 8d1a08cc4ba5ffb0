"""Runs one job of comfy_worker before a server that runs already: python3 run_job.py ADDRESS < INPUT."""

import json
import sys

from comfy_worker._job import Context, run_job
from comfy_worker._server import Server
from comfy_worker._settings import read_settings

told = []
lines = []
settings = read_settings({"COMFY_SERVER": sys.argv[1], "SVC_ENDPOINT": "replay", "COMFY_API_AVAILABLE_MAX_RETRIES": "2"})
context = Context(settings, Server(sys.argv[1]), None, "job-1", told.append, lines.append, lambda: None)
output = run_job(json.load(sys.stdin), context)
print(json.dumps({"output": output, "progress": told, "log": lines}))
