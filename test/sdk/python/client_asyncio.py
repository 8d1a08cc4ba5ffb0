"""The same for the asyncio client, with a session that the caller brings, as its documentation shows."""

import asyncio
import json
import sys

import aiohttp
import runpod
from runpod import http_client

facts = json.loads(sys.argv[1])
runpod.api_key = facts["key"]
runpod.endpoint_url_base = facts["baseUrl"]
SESSIONS = {"own": aiohttp.ClientSession, "package": http_client.AsyncClientSession}


async def wait_for(job, status):
    while await job.status() != status:
        await asyncio.sleep(0.05)


async def everything():
    async with SESSIONS[facts["session"]]() as session:
        endpoint = runpod.AsyncioEndpoint(facts["endpointId"], session)
        greeted = await endpoint.run({"name": "Ada"})
        counted = await endpoint.run({"do": "count", "n": 3})
        output = await greeted.output(timeout=60)
        chunks = [chunk async for chunk in counted.stream()]
        napping = await endpoint.run({"do": "nap", "seconds": 60})
        await wait_for(napping, "IN_PROGRESS")
        waiting = await endpoint.run({"name": "Ada"})
        health = await endpoint.health()
        purged = await endpoint.purge_queue()
        cancelled = await napping.cancel()
        return {
            "output": output,
            "status": await greeted.status(),
            "chunks": chunks,
            "counted": await counted.output(timeout=60),
            "jobs": health["jobs"],
            "purged": purged,
            "waiting": await waiting.status(),
            "cancelled": cancelled["status"],
            "after": await napping.status(),
        }


print(json.dumps(asyncio.run(everything())))
