"""Calls functions that our runtime serves with the package runpod 2.0; prints the results as JSON.

Usage: app_runtime_client.py LIVE_ENDPOINT DEPLOYED_ENDPOINT, with RUNPOD_ENDPOINT_BASE_URL and RUNPOD_API_KEY.
"""

import asyncio
import json
import sys

import app_runtime_app as shop
from runpod.apps.errors import RemoteExecutionError
from runpod.apps.job import Job
from runpod.apps.targets import LiveTarget, QueueClient, _headers, args_to_input, unwrap_job_output

live_id, deployed_id = sys.argv[1:]


async def call_live(handle, *args):
    target = LiveTarget(live_id, handle.spec.name)
    return await target.invoke(target.build_payload(handle._fn, handle.spec, args, {}))


async def stream_live(handle, *args):
    target = LiveTarget(live_id, handle.spec.name)
    job = Job(await target.submit(target.build_payload(handle._fn, handle.spec, args, {})), target)
    return [chunk async for chunk in job.stream.aio()]


async def call_deployed(handle, *args):
    client = QueueClient(deployed_id, _headers)
    payload = {"input": args_to_input(handle._fn, args, {})}
    return unwrap_job_output(await client.invoke(payload, timeout=60))


async def error_of(awaitable):
    try:
        return await awaitable
    except RemoteExecutionError as error:
        return str(error)


async def main():
    print(
        json.dumps(
            {
                "live": await call_live(shop.greet, "Ada"),
                "live async": await call_live(shop.greet_async, "Bo"),
                "live generator": await call_live(shop.count, 3),
                "live stream": await stream_live(shop.count, 2),
                "live error": await error_of(call_live(shop.broken)),
                "deployed": await call_deployed(shop.greet, "Ada"),
                "deployed error": await error_of(call_deployed(shop.greet)),
            }
        )
    )


asyncio.run(main())
