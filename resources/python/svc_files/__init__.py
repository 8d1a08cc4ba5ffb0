"""The files that a service sends to another machine: a store in a volume there, and trees of it for workers."""
