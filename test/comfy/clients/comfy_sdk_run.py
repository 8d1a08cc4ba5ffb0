"""comfy-sdk: runs a graph and follows it, or waits for a job. Arguments: graph, picture or the id of a job."""

import json
import sys
import tempfile

from comfy_sdk import Comfy, ComfyError

graph, what = sys.argv[1:]
client = Comfy(api_key="unused")
workflow = client.workflows.from_file(graph)
if not what.endswith(".png"):
    job = client.jobs.get(what).result()
    print(json.dumps({"id": job.id, "status": job.status, "pictures": [len(one.to_bytes()) for one in job.outputs]}))
    sys.exit()

asset = client.assets.from_file(what)
workflow.set_input("10", "image", asset)
job = client.submit(workflow, idempotency_key="mine", metadata={"of": "python"})
try:
    client.submit(workflow, idempotency_key="mine")
    again = None
except ComfyError as error:
    again = error.code
seen = [type(event).__name__ for event in job.events()]
job.result()
with tempfile.TemporaryDirectory() as folder:
    saved = job.outputs[0].to_file(f"{folder}/out.png")
    with open(saved, "rb") as file:
        magic = file.read(4)[1:].decode()
second = client.assets.from_file(what)
second.commit()
long = client.submit(workflow)
long.cancel()
print(
    json.dumps(
        {
            **{"id": job.id, "again": again, "seen": sorted(set(seen)), "magic": magic},
            "part": len(job.outputs[0].to_bytes(range=(0, 9))),
            "reused": not second.created_new,
            "listed": [one.id for one in client.list_jobs(metadata={"of": "python"})],
            "format": str(job.get_workflow().format),
            "cancelled": long.wait().status,
        }
    )
)
