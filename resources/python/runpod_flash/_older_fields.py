"""Fields of the public tool's older resource classes. The scanner reads this file too, so it imports nothing."""

from __future__ import annotations

# Their names -> those of Endpoint's parameters. Other fields say how the public platform shall run it and mean nothing
# here.
PARAMETERS = {
    "name": "name",
    "gpus": "gpu",
    "instanceIds": "cpu",
    "gpuCount": "gpu_count",
    "idleTimeout": "idle_timeout",
    "executionTimeoutMs": "execution_timeout_ms",
    "env": "env",
    "networkVolume": "volume",
    "networkVolumes": "volume",
    "datacenter": "datacenter",
    "scalerType": "scaler_type",
    "scalerValue": "scaler_value",
    "minCudaVersion": "min_cuda_version",
    "template": "template",
    "flashboot": "flashboot",
    "python_version": "python_version",
}

# Of classes for CPUs that name none. Source: the public tool.
DEFAULT_CPU = "cpu3g-2-8"
