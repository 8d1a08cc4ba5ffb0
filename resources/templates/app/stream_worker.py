"""A queue-based endpoint that streams: each value can be read as soon as it is yielded."""

from svc import Endpoint


@Endpoint(name="countdown", cpu="cpu3c-1-2")
def countdown(start: int = 3):
    """Counts down to zero."""
    import time

    for number in range(start, -1, -1):
        yield {"number": number}
        time.sleep(0.1)
