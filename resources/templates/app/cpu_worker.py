"""A queue-based endpoint: the arguments of the function are the fields of a job's input."""

from svc import Endpoint


@Endpoint(name="greet", cpu="cpu3c-1-2", workers=(0, 2))
def greet(name: str = "world") -> dict:
    """Greets somebody."""
    return {"greeting": f"Hello, {name}!"}
