"""Every value that an Endpoint's parameters may have: names and limits, nothing else.

The scanner of the build reads this file too, so it imports nothing but `enum`. The values of the enums are what goes
over the wire and into the manifest. source: docs/spec/app-deploy.md, 2; names as the public tool 1.19 has them.
"""

from __future__ import annotations

from enum import Enum


class GpuGroup(Enum):
    """Pools of cards with the same memory (the number, in GB) and generation."""

    ANY = "any"
    ADA_24 = "ADA_24"
    ADA_32_PRO = "ADA_32_PRO"
    ADA_48_PRO = "ADA_48_PRO"
    ADA_80_PRO = "ADA_80_PRO"
    AMPERE_16 = "AMPERE_16"
    AMPERE_24 = "AMPERE_24"
    AMPERE_48 = "AMPERE_48"
    AMPERE_80 = "AMPERE_80"
    HOPPER_141 = "HOPPER_141"
    BLACKWELL_96 = "BLACKWELL_96"
    BLACKWELL_180 = "BLACKWELL_180"

    @classmethod
    def all(cls) -> list[GpuGroup]:
        """Every member but ANY."""
        return [member for member in cls if member is not cls.ANY]


class GpuType(Enum):
    """Single cards."""

    ANY = "any"
    NVIDIA_GEFORCE_RTX_4090 = "NVIDIA GeForce RTX 4090"
    NVIDIA_GEFORCE_RTX_5090 = "NVIDIA GeForce RTX 5090"
    NVIDIA_RTX_6000_ADA_GENERATION = "NVIDIA RTX 6000 Ada Generation"
    NVIDIA_RTX_PRO_6000_BLACKWELL_SERVER_EDITION = "NVIDIA RTX PRO 6000 Blackwell Server Edition"
    NVIDIA_RTX_PRO_6000_BLACKWELL_WORKSTATION_EDITION = "NVIDIA RTX PRO 6000 Blackwell Workstation Edition"
    NVIDIA_RTX_PRO_6000_BLACKWELL_MAX_Q_WORKSTATION_EDITION = "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition"
    NVIDIA_H100_80GB_HBM3 = "NVIDIA H100 80GB HBM3"
    NVIDIA_RTX_A4000 = "NVIDIA RTX A4000"
    NVIDIA_RTX_A4500 = "NVIDIA RTX A4500"
    NVIDIA_RTX_4000_ADA_GENERATION = "NVIDIA RTX 4000 Ada Generation"
    NVIDIA_RTX_2000_ADA_GENERATION = "NVIDIA RTX 2000 Ada Generation"
    NVIDIA_RTX_A5000 = "NVIDIA RTX A5000"
    NVIDIA_L4 = "NVIDIA L4"
    NVIDIA_GEFORCE_RTX_3090 = "NVIDIA GeForce RTX 3090"
    NVIDIA_A40 = "NVIDIA A40"
    NVIDIA_RTX_A6000 = "NVIDIA RTX A6000"
    NVIDIA_A100_80GB_PCIe = "NVIDIA A100 80GB PCIe"  # the public tool's spelling
    NVIDIA_A100_SXM4_80GB = "NVIDIA A100-SXM4-80GB"
    NVIDIA_H200 = "NVIDIA H200"
    NVIDIA_B200 = "NVIDIA B200"

    @classmethod
    def all(cls) -> list[GpuType]:
        """Every member but ANY."""
        return [member for member in cls if member is not cls.ANY]


class CpuInstanceType(str, Enum):
    """`<family>-<vcpu>-<ramGB>`."""

    CPU3G_1_4 = "cpu3g-1-4"
    CPU3G_2_8 = "cpu3g-2-8"
    CPU3G_4_16 = "cpu3g-4-16"
    CPU3G_8_32 = "cpu3g-8-32"
    CPU3C_1_2 = "cpu3c-1-2"
    CPU3C_2_4 = "cpu3c-2-4"
    CPU3C_4_8 = "cpu3c-4-8"
    CPU3C_8_16 = "cpu3c-8-16"
    CPU5C_1_2 = "cpu5c-1-2"
    CPU5C_2_4 = "cpu5c-2-4"
    CPU5C_4_8 = "cpu5c-4-8"
    CPU5C_8_16 = "cpu5c-8-16"


class DataCenter(str, Enum):
    """Where a volume lies. US_GA_2 is gone from the public list, but its own examples still name it."""

    US_CA_2 = "US-CA-2"
    US_GA_2 = "US-GA-2"
    US_IL_1 = "US-IL-1"
    US_KS_2 = "US-KS-2"
    US_MO_1 = "US-MO-1"
    US_MO_2 = "US-MO-2"
    US_NC_2 = "US-NC-2"
    US_NE_1 = "US-NE-1"
    US_WA_1 = "US-WA-1"
    EU_CZ_1 = "EU-CZ-1"
    EU_RO_1 = "EU-RO-1"
    EUR_NO_1 = "EUR-NO-1"

    @classmethod
    def all(cls) -> list[DataCenter]:
        """Every member."""
        return list(cls)

    @classmethod
    def from_string(cls, value: str) -> DataCenter:
        """Also in lower case and with underscores. Raises ValueError for an unknown one."""
        try:
            return cls(value.strip().upper().replace("_", "-"))
        except ValueError:
            allowed = ", ".join(member.value for member in cls)
            raise ValueError(f"DataCenter: {value!r} is not allowed; it must be one of {allowed}") from None


class CudaVersion(Enum):
    """The lowest CUDA version of a host."""

    V11_8 = "11.8"
    V12_0 = "12.0"
    V12_1 = "12.1"
    V12_2 = "12.2"
    V12_3 = "12.3"
    V12_4 = "12.4"
    V12_5 = "12.5"
    V12_6 = "12.6"
    V12_7 = "12.7"
    V12_8 = "12.8"
    V12_9 = "12.9"
    V13_0 = "13.0"


class ServerlessScalerType(Enum):
    """How an endpoint scales: by the wait of the oldest job, in s, or by the number of requests per worker."""

    QUEUE_DELAY = "QUEUE_DELAY"
    REQUEST_COUNT = "REQUEST_COUNT"


PYTHON_VERSIONS = ("3.10", "3.11", "3.12", "3.13")
HTTP_METHODS = ("GET", "POST", "PUT", "DELETE", "PATCH")

# Seconds. source: the public tool.
IDLE_TIMEOUT_S = (1, 3600)
# GB of a volume. source: the public tool.
VOLUME_GB = (10, 4096)

# An endpoint may have a route of its own at /ping, it then answers the service's question whether the worker is well.
RESERVED_PATHS = ("/execute",)
