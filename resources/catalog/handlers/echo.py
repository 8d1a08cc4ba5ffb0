"""Gives back its input. With "waitMs" it takes that long, so that queues and load tests have something to show."""

import asyncio


async def handler(job):
    """Waits as long as it is told to, and answers with what it was given."""
    wait_ms = job["input"].get("waitMs", 0)
    if not isinstance(wait_ms, (int, float)) or not 0 <= wait_ms <= 600_000:
        raise ValueError("waitMs must be a number from 0 to 600000")
    await asyncio.sleep(wait_ms / 1000)
    return job["input"]
