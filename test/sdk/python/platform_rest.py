"""Calls the management API by the public package's own functions, against the service of the test. Prints JSON.

Each name is a step of the story; the answers are those that the package's functions return.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys

facts = json.loads(sys.argv[1])
os.environ["RUNPOD_API_BASE_URL"] = facts["url"]
os.environ["RUNPOD_HAPI_URL"] = facts["url"]
os.environ["RUNPOD_ENDPOINT_BASE_URL"] = facts["url"] + "/v2"
os.environ["RUNPOD_API_KEY"] = facts["key"]

import runpod  # noqa: E402
from runpod.api import ctl_commands  # noqa: E402
from runpod.apps.api import AppsApiClient  # noqa: E402
from runpod.apps.logs import pod_logs, stream_pod_logs  # noqa: E402
from runpod.error import AuthenticationError, QueryError  # noqa: E402

runpod.api_key = facts["key"]


def refused(call, *arguments, **named):
    """The status and text with which a call is refused."""
    try:
        call(*arguments, **named)
    except QueryError as error:
        return {"status": error.status_code, "message": str(error), "errors": getattr(error, "errors", None)}
    return None


def classic() -> dict:
    """The functions of the older interface, which ask the management API now."""
    template = ctl_commands.create_template("base", "ghcr.io/ada/echo:1", env={"A": "1"}, is_serverless=True)
    made = ctl_commands.create_endpoint("classic", template["id"], gpu_ids="ADA_24,-NVIDIA L4", workers_max=2)
    other = ctl_commands.create_template("other", "ghcr.io/ada/echo:2")
    changed = ctl_commands.update_endpoint_template(made["id"], other["id"])
    registry = ctl_commands.create_container_registry_auth("work", "ada", "secret")
    gone = ctl_commands.delete_container_registry_auth(registry["id"])
    return {
        "made": {name: made[name] for name in ("id", "image", "env", "gpu", "workers", "templateId")},
        "changed": changed["image"],
        "listed": made["id"] in [one["id"] for one in ctl_commands.get_endpoints()],
        "registry": [registry, gone],
        "gpus": isinstance(ctl_commands.get_gpus(), list),
        "pods": ctl_commands.get_pods(),
        "bad": refused(ctl_commands.create_template, "", "x"),
    }


def endpoint_input(generation: int) -> dict:
    """The settings that the package saves for an endpoint of a dev session."""
    return {
        "name": "dev-shop-echo",
        "workersMin": 0,
        "workersMax": 1,
        "idleTimeout": 60,
        "scalerType": "QUEUE_DELAY",
        "scalerValue": 4,
        "executionTimeoutMs": 0,
        "template": {
            "imageName": facts["image"],
            "containerDiskInGb": 10,
            "dockerArgs": "",
            "env": [
                {"key": "RUNPOD_DEV_GENERATION", "value": str(generation)},
                {"key": "RUNPOD_API_KEY", "value": facts["key"]},
            ],
        },
        "instanceIds": ["cpu3g-2-8"],
        "locations": "EU-RO-1,US-CA-2",
    }


async def apps() -> dict:
    """The calls of `rp`."""
    client = AppsApiClient(facts["key"])
    volume = await client.create_network_volume("models", 50, "EU-RO-1")
    saved = await client.save_endpoint(endpoint_input(1))
    again = await client.save_endpoint({**endpoint_input(2), "id": saved["id"]})
    workers = await client.endpoint_workers(saved["id"])
    return {
        "volumes": [volume == one for one in await client.list_network_volumes()],
        "places": "EU-RO-1" in await client.network_volume_datacenters(),
        "stock": await client.cpu_stock_status("cpu3g-2-8", "EU-RO-1"),
        "saved": {name: saved[name] for name in ("image", "env", "cpu", "dataCenterIds", "timeout", "type")},
        "again": again["env"],
        "listed": saved["id"] in [one["id"] for one in await client.list_my_endpoints()],
        "workers": workers["summary"]["total"] == len(workers["workers"]),
        "deleted": await client.delete_endpoint(saved["id"]),
    }


async def lines() -> dict:
    """The lines of a worker that runs."""
    followed = []
    async for event in stream_pod_logs(facts["workerId"], endpoint_id=facts["endpointId"], log_type="container", tail=1000):
        followed.append(event)
        if facts["line"] in event["line"]:
            break
    snapshot = await pod_logs(facts["workerId"])
    ends_well = followed[-1]["source"] == "container" and followed[-1]["line"] == facts["line"]
    return {"followed": ends_well, "snapshot": any(line.endswith(facts["line"]) for line in snapshot["container"])}


def unauthorized() -> bool:
    """Whether a wrong key is refused in the way that the package expects."""
    try:
        ctl_commands.get_gpus(api_key="nobody")
    except AuthenticationError:
        return True
    return False


print(
    json.dumps(
        {
            "classic": classic(),
            "apps": asyncio.run(apps()),
            "lines": asyncio.run(lines()),
            "unauthorized": unauthorized(),
        }
    )
)
