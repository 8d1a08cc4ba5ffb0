"""The reverse tunnel from another machine to the service: a relay for workers, and the watchdog that guards it.

Runs there in a container of Python alone, so it is standard library only. See README.md.
"""
