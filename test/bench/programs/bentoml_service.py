"""The handler that does nothing as a service of BentoML."""

import bentoml
from no_op import handler


@bentoml.service(workers=1)
class NoOp:
    @bentoml.api
    def run(self, input: dict) -> dict:
        return handler(input)
