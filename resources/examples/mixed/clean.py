"""The first step: plain text of what people paste."""

from svc import Endpoint


@Endpoint(name="clean", cpu="cpu3c-1-2")
def clean(text: str) -> str:
    """Takes out tags and runs of spaces."""
    import html
    import re

    without_tags = re.sub(r"<[^>]*>", " ", text)
    return " ".join(html.unescape(without_tags).split())
