"""The runtime's version, alone in a file so that every other file can read it without a cycle."""

__version__ = "0.1.0"
