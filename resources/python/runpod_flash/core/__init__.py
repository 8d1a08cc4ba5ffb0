"""Where older apps import from; see `resources`."""
