"""Apps of decorated functions: `Endpoint` and what it takes. See README.md."""

from svc._clients import EndpointJob
from svc._endpoint import Endpoint
from svc._errors import NoContextError, NoKeyError, NotDeployedError, RemoteError, ServiceError
from svc._resources import KeyValuePair, NetworkVolume, PodTemplate
from svc._responses import HTTPError, Request, Response
from svc._values import CpuInstanceType, CudaVersion, DataCenter, GpuGroup, GpuType, ServerlessScalerType

__version__ = "0.1.0"

__all__ = [
    "CpuInstanceType",
    "CudaVersion",
    "DataCenter",
    "Endpoint",
    "EndpointJob",
    "GpuGroup",
    "GpuType",
    "HTTPError",
    "KeyValuePair",
    "NetworkVolume",
    "NoContextError",
    "NoKeyError",
    "NotDeployedError",
    "PodTemplate",
    "RemoteError",
    "Request",
    "Response",
    "ServerlessScalerType",
    "ServiceError",
    "__version__",
]
