"""What a job asks for, and the readers that make it of a script or of fields. Pure: the standard library only."""

from scheduling.jobspec.codec import BadField
from scheduling.jobspec.fields import FIELDS, from_fields
from scheduling.jobspec.findings import Finding, Kind, Reading, Severity
from scheduling.jobspec.render import to_script
from scheduling.jobspec.sbatch import read
from scheduling.jobspec.site import Account, Gres, Partition, Qos, Site
from scheduling.jobspec.spec import Array, Component, Dependency, JobSpec, Signal

__all__ = [
    "FIELDS",
    "Account",
    "Array",
    "BadField",
    "Component",
    "Dependency",
    "Finding",
    "Gres",
    "JobSpec",
    "Kind",
    "Partition",
    "Qos",
    "Reading",
    "Severity",
    "Signal",
    "Site",
    "from_fields",
    "read",
    "to_script",
]
