"""Finds the endpoints of an app by reading its source, and writes one handler file for each. Imports no user code."""
