"""comfy-toolkit: runs a graph and follows it. Arguments: address, graph."""

import json
import sys

from comfy_toolkit import ComfyClient, submit_and_track

address, graph = sys.argv[1:]
client = ComfyClient(address)
steps = []
nodes = []
ended = submit_and_track(
    client, client.load_workflow(graph), on_progress=lambda *at: steps.append(at), on_node=nodes.append
)
pictures = [
    len(client._request("/view", params={key: picture[key] for key in ("filename", "subfolder", "type")}))
    for picture in ended["images"]
]
print(json.dumps({"id": ended["prompt_id"], "steps": len(steps), "nodes": len(nodes), "pictures": pictures}))
