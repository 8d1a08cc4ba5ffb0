"""The handler that does nothing as a predictor of Cog; an async one, so that it is asked by several clients at once."""

from cog import BasePredictor
from no_op import handler


class Predictor(BasePredictor):
    async def predict(self, prompt: str, steps: int) -> dict:
        return handler({"prompt": prompt, "steps": steps})
