"""The handler that does nothing as a runner of Cog; an async one, so that it takes several requests at once."""

from cog import BaseRunner
from no_op import handler


class Runner(BaseRunner):
    async def run(self, prompt: str, steps: int) -> dict:
        return handler({"input": {"prompt": prompt, "steps": steps}})
