"""Where apps for the public tool import `KeyValuePair` from."""

from svc import KeyValuePair, PodTemplate

__all__ = ["KeyValuePair", "PodTemplate"]
