"""Load by Celery's own client, as programs/load.ts has it: an order is a line of JSON, and so is its answer."""

import json
import sys
import time
from threading import Thread

from celery_app import no_op


def send_until(end, sent_at, given, samples):
    while sent_at < end:
        no_op.delay(given).get(timeout=60, interval=0.001)
        answered_at = time.perf_counter()
        samples.append((answered_at - sent_at) * 1000)
        sent_at = answered_at


for line in sys.stdin:
    order = json.loads(line)
    samples = []
    start, cpu = time.perf_counter(), time.process_time()
    arguments = (start + order["ms"] / 1000, start, json.loads(order["body"])["input"], samples)
    clients = [Thread(target=send_until, args=arguments) for _ in range(order["connections"])]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    took = time.perf_counter() - start
    busy = (time.process_time() - cpu) / took
    print(json.dumps({"perSecond": len(samples) / took, "busy": busy, "samples": samples}), flush=True)
