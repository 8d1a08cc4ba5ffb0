"""Finds the user's function in the user's module."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

from svc._decorate import BODY, claim
from svc._left_out import explain


class AppError(Exception):
    """The handler file and the app do not fit together; a worker cannot start with it."""


def load(module: str, name: str, endpoint: str) -> Any:
    """The value of `name` in `module`, decorated or not. Raises AppError, or any error of the import.

    `module` is dotted; its parts may hold hyphens and begin with digits, which an import statement could not say.
    """
    claim(endpoint)
    _find_neighbours(module)
    try:
        imported = importlib.import_module(module)
    except ModuleNotFoundError as error:
        explain(error)
        raise
    try:
        return getattr(imported, name)
    except AttributeError:
        raise AppError(
            f'svc: module {module} has no "{name}", which the endpoint "{endpoint}" was built with: build the app again'
        ) from None


def _find_neighbours(module: str) -> None:
    """Let a module in a folder import its neighbours by their bare names, as it can when it is started itself.

    Its folder goes behind the root of the project and behind Python's own modules, as svc_build looks for them: there a
    file called types.py or queue.py harms nobody. It is in front of site-packages.
    """
    *folders, name = module.split(".")
    files = (f"{name}.py", os.path.join(name, "__init__.py"))
    for root in sys.path if folders else []:
        folder = os.path.join(os.path.abspath(root), *folders)
        if any(os.path.isfile(os.path.join(folder, file)) for file in files):
            if folder not in sys.path:
                sys.path.insert(_behind_python(), folder)
            return


def _behind_python() -> int:
    own = os.path.dirname(os.path.abspath(os.__file__))
    places = [at for at, entry in enumerate(sys.path) if entry in (own, os.path.join(own, "lib-dynload"))]
    return places[-1] + 1 if places else len(sys.path)


def body_of(found: Any) -> Any:
    """The user's own function or class behind our decorator."""
    # vars and not getattr: a decorated class forwards unknown names to the class.
    return vars(found).get(BODY, found) if hasattr(found, "__dict__") else found
