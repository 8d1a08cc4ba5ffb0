"""Classes of nodes of a ComfyUI package, without running it."""
