"""The step that would have a model. For one on a graphics card write gpu=GpuGroup.ANY in the place of cpu."""

from svc import Endpoint

GOOD = {"bright", "fast", "friendly", "good", "great", "love", "perfect"}
BAD = {"bad", "broken", "dim", "hate", "late", "rude", "slow"}


@Endpoint(name="mood", cpu="cpu3c-1-2", workers=(0, 3))
def mood(text: str) -> dict:
    """Counts words of praise and of complaint."""
    words = [word.strip(".,;:!?").lower() for word in text.split()]
    score = sum(word in GOOD for word in words) - sum(word in BAD for word in words)
    return {"mood": "praise" if score > 0 else "complaint" if score < 0 else "neutral", "score": score}
