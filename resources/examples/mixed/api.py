"""The front: it answers HTTP requests and leaves the work to three queues."""

from svc import Endpoint

api = Endpoint(name="reviews", cpu="cpu3c-1-2", workers=(1, 3))


@api.get("/health")
def health() -> dict:
    """Says that all is well, without asking anybody."""
    return {"status": "ok"}


@api.post("/reviews")
async def review(text: str, most: int = 3) -> dict:
    """Cleans a review, then asks for its mood and its keywords at the same time."""
    import asyncio

    from clean import clean
    from keywords import keywords
    from mood import mood

    cleaned = await clean(text)
    feeling, words = await asyncio.gather(mood(cleaned), keywords(cleaned, most))
    return {"text": cleaned, **feeling, "keywords": words}
