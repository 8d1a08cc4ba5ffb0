"""What mends an import that failed, as far as it can be seen from here."""

from __future__ import annotations

import importlib.metadata
import sys
from collections.abc import Collection


def import_hint(error: BaseException, *, left_out: Collection[str] = (), built_for: str | None = None) -> str:
    """A sentence with a space before it, or nothing.

    `left_out`: packages that the build expects of the image. `built_for`: version of Python that the packages are for.
    """
    if not isinstance(error, ImportError):
        return ""
    module = (error.name or "").partition(".")[0]
    if module == "runpod":
        return f" The app needs the package runpod 2.0; this Python has {_version_of('runpod') or 'none'}."
    if module and module in left_out:
        return f" The build leaves {module} to the image; for a process: {sys.executable} -m pip install {module}"
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    if built_for is not None and built_for != own:
        return f" The packages of the app are for Python {built_for}, and this worker runs Python {own}."
    return ""


def _version_of(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
