"""The values of what the package offers: members of its enums."""

from __future__ import annotations

from typing import Any

from svc_build._catalog import ENUMS
from svc_build._symbols import Invalid, SdkMember, Unresolved


def enum_value(member: SdkMember) -> str:
    """The value of GpuGroup.ADA_24. Raises Invalid for a member that does not exist."""
    members = ENUMS.get(member.owner)
    if members is None:
        raise Unresolved(f"`{member.owner}.{member.name}` is not a constant")
    if member.name not in members:
        raise Invalid(f"one of {', '.join(f'{member.owner}.{name}' for name in members)}")
    return members[member.name]


def enum_of(owner: str, value: Any) -> str:
    """What `GpuType("NVIDIA L4")` is."""
    if owner not in ENUMS or value not in ENUMS[owner].values():
        raise Invalid(f"one of {', '.join(ENUMS.get(owner, {}).values())}")
    return str(value)
