"""Which endpoint this process is a worker of."""

from __future__ import annotations

import os

# Kept in the environment, so that processes which user code starts know it too. The name is the public tool's:
# SVC_ENDPOINT holds the endpoint's id, and an id may equal the name of another endpoint.
_NAME = "FLASH_RESOURCE_NAME"


def claim(endpoint: str) -> None:
    """This process runs the functions of the endpoint with this name. Called by handler files, before user code."""
    os.environ[_NAME] = endpoint


def is_owned(endpoint: str) -> bool:
    """Whether the functions of this endpoint run here."""
    return (os.environ.get(_NAME) or os.environ.get("SVC_ENDPOINT")) == endpoint
