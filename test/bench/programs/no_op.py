"""A handler that does nothing."""


def handler(_job):
    return {"ok": True}
