"""A queue-based endpoint that keeps something between jobs: one instance per worker, as for a model."""

from svc import Endpoint


@Endpoint(name="text-stats", cpu="cpu3c-1-2")
class TextStats:
    """The input names the method: {"method": "count", "text": "..."}."""

    def __init__(self, most: int = 3):
        self.most = most

    def count(self, text: str) -> dict:
        """Counts words and letters."""
        words = text.split()
        return {"words": len(words), "letters": sum(len(word) for word in words)}

    def longest(self, text: str) -> list:
        """The longest words."""
        return sorted(set(text.split()), key=len, reverse=True)[: self.most]
