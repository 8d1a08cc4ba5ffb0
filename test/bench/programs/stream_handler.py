"""A stream whose chunks are the moments at which they were yielded, ms of the machine's monotonic clock."""

import time


def handler(job):
    given = job["input"]
    time.sleep(given["after_s"])
    for _ in range(given["chunks"]):
        yield time.clock_gettime_ns(time.CLOCK_MONOTONIC) / 1e6
        time.sleep(given["every_s"])
