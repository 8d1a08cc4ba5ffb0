"""Where older apps import resource classes and enums from."""

from runpod_flash import *  # noqa: F403  (the same names at another place)
from runpod_flash import __all__  # noqa: F401
