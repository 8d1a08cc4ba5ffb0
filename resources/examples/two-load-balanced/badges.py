"""An API that answers with pictures: a Response says itself what it is."""

from svc import Endpoint, Response

api = Endpoint(name="badges", cpu="cpu3c-1-2", workers=(1, 5))

SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img" aria-label="{label}: {value}">
<rect width="{width}" height="20" rx="3" fill="#445"/>
<text x="8" y="14" font-family="sans-serif" font-size="11" fill="#fff">{label}: {value}</text>
</svg>
"""


@api.get("/badges/{label}")
def badge(label: str, value: str = "unknown") -> Response:
    """A picture of a label and its value, which comes from the query."""
    from html import escape

    # As wide as its text: about 7 pixels for each letter.
    picture = SVG.format(width=16 + 7 * len(f"{label}: {value}"), label=escape(label), value=escape(value))
    return Response(body=picture, media_type="image/svg+xml")
