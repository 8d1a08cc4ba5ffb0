"""A class: what its constructor makes stays on the worker, as a model would."""

from svc import Endpoint


@Endpoint(name="storyteller", cpu="cpu3c-1-2", idle_timeout=300)
class Storyteller:
    """Writes texts in the style of another: each word is one that came after the word before it there."""

    def __init__(self, source: str = "tales.txt"):
        from pathlib import Path

        words = Path(__file__).with_name(source).read_text(encoding="utf-8").split()
        self.followers: dict = {}
        for word, follower in zip(words, words[1:]):
            self.followers.setdefault(word, []).append(follower)

    def write(self, words: int = 30, seed: int = 0):
        """A generator: each word can be read as soon as it is chosen."""
        import random

        chance = random.Random(seed)
        begins = sorted(word for word in self.followers if word[0].isupper())
        word = chance.choice(begins)
        for _ in range(words):
            yield word
            word = chance.choice(self.followers.get(word, begins))

    def tell(self, words: int = 30, seed: int = 0) -> dict:
        """The same as one text."""
        return {"text": " ".join(self.write(words, seed))}
