"""What a function prints goes to the worker's log, as all output does, and into the answer."""

from __future__ import annotations

from svc_worker._capture import Capture

# Characters of one answer's output; the log has all of it. source: ours; it travels with every answer.
KEPT_CHARS = 64 * 1024


class AnswerOutput(Capture):
    """The output of one request."""

    def __init__(self) -> None:
        super().__init__(KEPT_CHARS, stderr=False)

    def field(self) -> dict[str, str]:
        """The field `stdout` of an answer, with what came since the last one; without any, no field."""
        text = self.take()
        return {"stdout": text} if text else {}
