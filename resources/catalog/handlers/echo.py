"""Returns its input, after "waitMs" if that is given, so that queues and load tests have something to show."""

import asyncio


async def handler(job):
    """Waits for the given time, then returns the input."""
    wait_ms = job["input"].get("waitMs", 0)
    if not isinstance(wait_ms, (int, float)) or not 0 <= wait_ms <= 600_000:
        raise ValueError("waitMs must be a number from 0 to 600000")
    await asyncio.sleep(wait_ms / 1000)
    return job["input"]
