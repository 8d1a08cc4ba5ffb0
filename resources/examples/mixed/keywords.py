"""The topics of a text, found by counting words."""

from svc import Endpoint


@Endpoint(name="keywords", cpu="cpu3c-1-2")
def keywords(text: str, most: int = 3) -> list:
    """The words that come most often; the longer one first where two come as often."""
    from collections import Counter

    words = Counter(word for word in (part.strip(".,;:!?").lower() for part in text.split()) if len(word) > 3)
    return sorted(words, key=lambda word: (-words[word], -len(word), word))[:most]
