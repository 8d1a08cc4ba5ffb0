"""comfy-api-simplified: runs a graph with an uploaded picture, or interrupts one. Arguments: address, graph, picture or nothing."""

import json
import sys

from comfy_api_simplified import ComfyApiWrapper, ComfyWorkflowWrapper

address, graph, picture = [*sys.argv[1:], ""][:3]
api = ComfyApiWrapper(address)
workflow = ComfyWorkflowWrapper(graph)
if picture:
    stored = api.upload_image(picture)
    workflow.set_node_param("Load Image", "image", f"{stored['subfolder']}/{stored['name']}")
found = api.queue_and_wait_images(workflow, "Save Image")
stats = api.get_system_stats()
print(json.dumps({"pictures": [len(one) for one in found.values()], "version": stats["system"]["comfyui_version"]}))
