"""Handlers for svc_worker; the input's `do` picks one. They tell the test what they see from inside."""

import asyncio
import logging
import os
import threading
import time

import svc_worker

ME = {"worker": os.environ["RUNPOD_POD_ID"], "pid": os.getpid()}
meeting = threading.Condition()
together = 0


def who(job):
    return ME


async def nap(job):
    """Says when it is stopped."""
    try:
        print("napping")
        await asyncio.sleep(600)
    finally:
        print("was stopped")


def block(job):
    print("blocking")
    time.sleep(600)


def meet(job):
    """Sync, so in a thread of its own: ends when as many are here as the test wants."""
    global together
    print(f"here is {job['input']['name']}")
    with meeting:
        together += 1
        meeting.notify_all()
        meeting.wait_for(lambda: together >= job["input"]["together"])
    return {**ME, "job": svc_worker.current_job_id(), "thread": threading.get_ident()}


async def meet_async(job):
    """The same as coroutines of one thread."""
    global together
    together += 1
    while together < job["input"]["together"]:
        await asyncio.sleep(0.01)
    print(f"here is {job['input']['name']}")
    return {**ME, "job": svc_worker.current_job_id(), "thread": threading.get_ident()}


async def report(job):
    """Progress from a coroutine that was never handed the job."""
    await asyncio.create_task(announce())
    while not os.path.exists(job["input"]["release"]):
        await asyncio.sleep(0.02)
    svc_worker.progress({"step": "last"})
    return {"job": svc_worker.current_job_id()}


async def announce():
    svc_worker.progress({"step": "first", "job": svc_worker.current_job_id()})


def talk(job):
    print("a plain line")
    logging.warning("a warning")
    print("no line end", end="")
    return ME


def broken(job):
    return deeper()


def deeper():
    raise KeyError("asked to break")


def count(job):
    for n in range(job["input"]["n"]):
        yield {"n": n}


async def count_async(job):
    for n in range(job["input"]["n"]):
        await asyncio.sleep(0)
        yield {"n": n}


def wait(job):
    """Ends when the test says so."""
    print("waiting")
    while not os.path.exists(job["input"]["release"]):
        time.sleep(0.02)
    return ME


def handler(job):
    return globals()[job["input"].get("do", "who")](job)
