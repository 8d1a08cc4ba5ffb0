"""Handlers for the public worker SDK. The variable KIND picks one, because a worker has one handler while it lives."""

import asyncio
import os
import sys
import time

import runpod

ME = {"worker": os.environ["RUNPOD_POD_ID"], "pid": os.getpid()}
together = 0


def until_released(job):
    """Waits for a file that the test makes."""
    while not os.path.exists(job["input"]["release"]):
        yield


def echo(job):
    """The whole job as the handler sees it."""
    print("plain words of the handler")
    runpod.RunPodLogger().info("words with an id", job["id"])
    return {"job": job}


async def async_echo(job):
    await asyncio.sleep(0)
    return {"job": job}


def count(job):
    """With `fail`, breaks in the middle."""
    for n in range(job["input"]["n"]):
        if n == job["input"].get("fail"):
            raise ValueError("asked to break")
        yield {"n": n}


async def async_count(job):
    for n in range(job["input"]["n"]):
        await asyncio.sleep(0)
        yield {"n": n}


def progress(job):
    """Reports twice: once seen while it runs, once so late that it may come after the result."""
    runpod.serverless.progress_update(job, {"step": "first"})
    for _ in until_released(job):
        time.sleep(0.02)
    runpod.serverless.progress_update(job, {"step": "last"})
    return {"done": True}


def answer(job):
    """Returns what the test wants, or raises it."""
    if "raise" in job["input"]:
        raise ValueError(job["input"]["raise"])
    return job["input"]["return"]


def refresh(job):
    return {"refresh_worker": True, **ME}


def who(job):
    return ME


async def meet(job):
    """Ends when as many run at once as the test wants."""
    global together
    together += 1
    while together < job["input"]["together"]:
        await asyncio.sleep(0.02)
    return ME


async def nap(job):
    """Says when it is stopped; without `seconds` it only says who runs it."""
    try:
        print("napping")
        await asyncio.sleep(job["input"].get("seconds", 0))
    except asyncio.CancelledError:
        print("was stopped")
        raise
    return ME


def block(job):
    """Holds up the whole worker."""
    time.sleep(job["input"].get("seconds", 0))
    return ME


def drain(job):
    for _ in until_released(job):
        time.sleep(0.02)
    return ME


def die(job):
    """Ends the process in the middle of its job, but for the second try."""
    if not os.path.exists("died"):
        open("died", "w").close()
        os._exit(3)
    return ME


def unsendable(job):
    return {"rows": [{"picture": b"not text"}]}


def folder(job):
    """The program's view of its folder, and a file that it writes there."""
    with open("written.txt", "w") as file:
        file.write(job["id"])
    return {"cwd": os.getcwd(), "file": os.path.abspath(__file__), "files": sorted(os.listdir(".")), "path": sys.path[0]}


def large(job):
    return "x" * job["input"]["bytes"]


def large_chunk(job):
    yield "x" * job["input"]["bytes"]


def chosen(job):
    """Runs the plain function that the job names, in one worker: starting another costs seconds."""
    return KINDS[job["input"]["do"]]["handler"](job)


def unfit():
    """A check of the worker itself that fails at its start."""
    raise RuntimeError("model file is missing")


KINDS = {
    "chosen": {"handler": chosen},
    "echo": {"handler": echo},
    "async_echo": {"handler": async_echo},
    "count": {"handler": count},
    "count_aggregated": {"handler": count, "return_aggregate_stream": True},
    "async_count": {"handler": async_count},
    "progress": {"handler": progress},
    "answer": {"handler": answer},
    "refresh": {"handler": refresh},
    "refresh_always": {"handler": who, "refresh_worker": True},
    "meet": {"handler": meet, "concurrency_modifier": lambda _: 3},
    "nap": {"handler": nap},
    "naps": {"handler": nap, "concurrency_modifier": lambda _: 2},
    "block": {"handler": block},
    "drain": {"handler": drain},
    "die": {"handler": die},
    "folder": {"handler": folder},
    "unfit": {"handler": echo},
    "unsendable": {"handler": unsendable},
    "who": {"handler": who},
    "large": {"handler": large},
    "large_chunk": {"handler": large_chunk},
}

if os.environ["KIND"] == "unfit":
    runpod.serverless.register_fitness_check(unfit)

runpod.serverless.start(KINDS[os.environ["KIND"]])
