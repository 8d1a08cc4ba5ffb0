"""The first of them as an app: the arguments of the function are the fields of the input."""

from svc import Endpoint


@Endpoint(name="hello", cpu="cpu3c-1-2")
def hello(name: str = "world") -> dict:
    """Greets somebody."""
    return {"greeting": f"Hello, {name}"}
