"""comfyui-workflow-client: runs a graph and gets its picture. Arguments: address, graph."""

import asyncio
import json
import sys

from comfyuiclient.client import ComfyUIClientAsync


async def run(address: str, graph: str) -> None:
    client = ComfyUIClientAsync(address.removeprefix("http://"), graph)
    await client.connect()
    found = await client.generate(["Save Image"])
    await client.close()
    print(json.dumps({"pictures": [picture.size for picture in found.values()]}))


asyncio.run(run(*sys.argv[1:]))
