"""The public tool's names, so that apps written for it run unchanged. Everything is in svc.

Like the public tool, importing it puts what a `.env` file says into the environment; what is set there stays.
"""

from svc import (
    CpuInstanceType,
    CudaVersion,
    DataCenter,
    Endpoint,
    EndpointJob,
    GpuGroup,
    GpuType,
    KeyValuePair,
    NetworkVolume,
    PodTemplate,
    ServerlessScalerType,
)
from svc._env_file import load_env_file

from runpod_flash._remote import (
    CpuLiveLoadBalancer,
    CpuLiveServerless,
    CpuLoadBalancerSlsResource,
    CpuServerlessEndpoint,
    LiveLoadBalancer,
    LiveServerless,
    LoadBalancerSlsResource,
    ServerlessEndpoint,
    ServerlessType,
    remote,
)

load_env_file()

CPU_DATACENTERS = frozenset({DataCenter.EU_RO_1})
DEFAULT_WORKERS_MIN = 0
DEFAULT_WORKERS_MAX = 1

__all__ = [
    "CPU_DATACENTERS",
    "DEFAULT_WORKERS_MAX",
    "DEFAULT_WORKERS_MIN",
    "CpuInstanceType",
    "CpuLiveLoadBalancer",
    "CpuLiveServerless",
    "CpuLoadBalancerSlsResource",
    "CpuServerlessEndpoint",
    "CudaVersion",
    "DataCenter",
    "Endpoint",
    "EndpointJob",
    "GpuGroup",
    "GpuType",
    "KeyValuePair",
    "LiveLoadBalancer",
    "LiveServerless",
    "LoadBalancerSlsResource",
    "NetworkVolume",
    "PodTemplate",
    "ServerlessEndpoint",
    "ServerlessScalerType",
    "ServerlessType",
    "remote",
]
