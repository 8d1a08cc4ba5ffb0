"""A queue-based endpoint that calls another one: its import belongs inside the function."""

from svc import Endpoint


@Endpoint(name="welcome", cpu="cpu3c-1-2")
async def welcome(names: list) -> dict:
    """Greets everybody on the list."""
    from cpu_worker import greet

    answers = [await greet(name=name) for name in names]
    return {"welcome": [answer["greeting"] for answer in answers]}
