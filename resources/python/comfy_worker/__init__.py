"""The worker in an image made from a workflow: a ComfyUI server, and jobs in the public image worker's protocol."""
