"""The local server of the public SDK. Arguments: its own."""

import runpod
from no_op import handler

runpod.serverless.start({"handler": handler})
