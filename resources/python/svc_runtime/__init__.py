"""Runs what apps of the package `runpod` 2.0 declare: queue functions, apis and tasks. See README.md."""
