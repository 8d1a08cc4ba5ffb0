"""Four small handlers in one file. Pick one with {"input": {"do": "greet" | "nap" | "count" | "fail"}}."""

import asyncio
import time

from svc_worker import progress


def greet(job):
    """A plain function: what it returns is the job's output."""
    name = job["input"].get("name", "world")
    return {"greeting": f"Hello, {name}"}


async def nap(job):
    """An async function: it shows progress while it runs, and a cancel stops it at once."""
    seconds = job["input"].get("seconds", 3)
    started = time.monotonic()
    while (slept := time.monotonic() - started) < seconds:
        progress({"slept": round(slept, 1), "of": seconds})
        await asyncio.sleep(min(0.5, seconds - slept))
    return {"slept": seconds}


def count(job):
    """A generator: every yield can be read from the stream while the job still runs."""
    for number in range(1, job["input"].get("n", 5) + 1):
        yield {"count": number}


def fail(job):
    """An error fails the job, not the worker. Retry the job and it fails again."""
    raise ValueError("asked to fail")


ACTIONS = {"greet": greet, "nap": nap, "count": count, "fail": fail}


def handler(job):
    """The one function the worker calls. Most handlers are just this."""
    action = job["input"].get("do", "greet")
    if action not in ACTIONS:
        raise ValueError(f'unknown "do": {action!r}; use one of: {", ".join(ACTIONS)}')
    return ACTIONS[action](job)
