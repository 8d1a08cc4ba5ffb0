"""A load-balanced endpoint: it answers HTTP requests itself, without a queue."""

from svc import Endpoint

api = Endpoint(name="api", cpu="cpu3c-1-2", workers=(1, 3))


@api.get("/health")
def health() -> dict:
    """Says that all is well."""
    return {"status": "ok"}


@api.post("/shout")
def shout(text: str, marks: int = 1) -> dict:
    """The fields of the JSON body are the parameters."""
    return {"text": text.upper() + "!" * marks}
