"""Values for an Endpoint that are not plain: a volume, and settings of its container."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from svc._check import Checked, text, whole_number
from svc._values import VOLUME_GB, DataCenter


class NetworkVolume:
    """A folder that outlives workers and is shared by them, mounted at /runpod-volume.

    Named volumes are made when they are missing; the same name in the same datacenter is the same volume.
    """

    def __init__(
        self,
        name: str | None = None,
        *,
        id: str | None = None,
        size: int = 100,
        datacenter: DataCenter | str | None = None,
        dataCenterId: DataCenter | str | None = None,  # noqa: N803  (the public tool's older spelling)
    ) -> None:
        place = datacenter or dataCenterId or DataCenter.EU_RO_1
        checked = Checked("NetworkVolume", {"name": name, "id": id, "size": size, "datacenter": place})
        self.name: str | None = checked.optional("name", text)
        self.id: str | None = checked.optional("id", text)
        if self.name is None and self.id is None:
            raise ValueError("NetworkVolume: either name or id must be given")
        self.size: int = checked.value("size", whole_number(*VOLUME_GB, unit="GB"))
        self.datacenter = DataCenter(checked.member("datacenter", DataCenter))

    def __repr__(self) -> str:
        return f"NetworkVolume(name={self.name!r}, id={self.id!r}, datacenter={self.datacenter.value!r})"


class KeyValuePair:
    """A variable in the environment of a PodTemplate."""

    def __init__(self, key: str, value: str) -> None:
        self.key = key
        self.value = value

    @classmethod
    def from_dict(cls, data: Mapping[str, str]) -> list[KeyValuePair]:
        """One for each entry."""
        return [cls(key, value) for key, value in data.items()]


class PodTemplate:
    """Settings of the container. Names as in the public tool; unknown ones are kept, so that no app breaks by them."""

    def __init__(
        self,
        *,
        containerDiskInGb: int = 64,  # noqa: N803
        dockerArgs: str = "",  # noqa: N803
        env: Sequence[Any] = (),
        imageName: str = "",  # noqa: N803
        ports: str = "",
        startScript: str = "",  # noqa: N803
        advancedStart: bool = False,  # noqa: N803
        containerRegistryAuthId: str = "",  # noqa: N803
        **others: Any,
    ) -> None:
        self.containerDiskInGb = containerDiskInGb
        self.dockerArgs = dockerArgs
        self.env = list(env)
        self.imageName = imageName
        self.ports = ports
        self.startScript = startScript
        self.advancedStart = advancedStart
        self.containerRegistryAuthId = containerRegistryAuthId
        self.others = others
