"""Makes the requested calls with the public Python client on the sample endpoint, and prints their results."""

import json
import sys
import time

import runpod

facts = json.loads(sys.argv[1])
runpod.api_key = facts["key"]
runpod.endpoint_url_base = facts["baseUrl"]
endpoint = runpod.Endpoint(facts["endpointId"])

# Some calls of the package wait 3 s for an answer, which a busy machine may need.
PATIENCE_S = 20


def wait_for(job, status):
    while job.status() != status:
        time.sleep(0.05)


def run():
    job = endpoint.run({"input": {"name": "Ada"}})
    return {"output": job.output(timeout=60), "status": job.status(), "id": job.job_id}


def run_without_wrapping():
    return endpoint.run({"name": "Ada"}).output(timeout=60)


def run_sync():
    return endpoint.run_sync({"name": "Grace"}, timeout=60)


def failed():
    job = endpoint.run({"do": "fail"})
    return {"output": job.output(timeout=60), "status": job.status()}


def stream():
    job = endpoint.run({"do": "count", "n": 300})
    return {"chunks": list(job.stream()), "status": job.status(), "output": job.output()}


def cancel():
    job = endpoint.run({"do": "nap", "seconds": 60})
    # The first progress comes from the handler, a moment after the job began.
    while (progress := job.output()) is None:
        time.sleep(0.05)
    answer = job.cancel(timeout=PATIENCE_S)
    same = answer.pop("id") == job.job_id
    return {"progress": sorted(progress), "same": same, "answer": answer, "after": job.status()}


def health_and_purge():
    running = endpoint.run({"do": "nap", "seconds": 60})
    wait_for(running, "IN_PROGRESS")
    waiting = [endpoint.run({"name": "Ada"}) for _ in range(3)]
    before = endpoint.health(timeout=PATIENCE_S)
    purged = endpoint.purge_queue(timeout=PATIENCE_S)
    return {"before": before, "purged": purged, "after": [job.status() for job in (running, *waiting)]}


def errors():
    found = {}
    try:
        runpod.Endpoint(facts["endpointId"], api_key="wrong").health(timeout=PATIENCE_S)
    except Exception as error:
        found["wrong key"] = type(error).__name__
    try:
        runpod.Endpoint("nobody").health(timeout=PATIENCE_S)
    except Exception as error:
        found["unknown endpoint"] = type(error).__name__
    return found


print(json.dumps({name: globals()[name]() for name in facts["do"]}))
