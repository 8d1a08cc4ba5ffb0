"""An async generator: while it waits, its worker can do other jobs."""

from svc import Endpoint


@Endpoint(name="typewriter", cpu="cpu3c-1-2", max_concurrency=4)
async def typewriter(text: str, pause_s: float = 0.1):
    """Types a text, letter by letter."""
    import asyncio

    for position, letter in enumerate(text):
        yield {"position": position, "letter": letter}
        await asyncio.sleep(pause_s)
