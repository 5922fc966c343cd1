"""What a reader has to say about a script, by line: as values. The sentences in both languages are made elsewhere from
`kind` and `facts`; `message` keeps Slurm's own wording where Slurm has one, so that a search engine finds it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from scheduling.jobspec.spec import JobSpec

Fact = str | int


class Severity(StrEnum):
    ERROR = "error"  # Slurm refuses the script; submitting is not possible
    WARNING = "warning"  # accepted, but likely not what was meant, or it may wait for ever
    INFO = "info"


class Kind(StrEnum):
    """The closed list. Behind each: the facts it carries. `option` is the long name without dashes, `value` as written."""

    # The file as a whole
    EMPTY_SCRIPT = "empty-script"
    NO_SHEBANG = "no-shebang"  # first
    BOM_BEFORE_SHEBANG = "bom-before-shebang"
    DOS_LINE_BREAKS = "dos-line-breaks"  # lines
    NUL_BYTE = "nul-byte"
    TOO_MANY_DIRECTIVES = "too-many-directives"  # directives, limit
    TOO_MANY_FINDINGS = "too-many-findings"  # shown, count
    # Lines that do not count as they look
    LOOKS_LIKE_DIRECTIVE = "looks-like-directive"  # word
    OLD_MAGIC_WORD = "old-magic-word"  # #SLURM, which counts
    INDENTED_DIRECTIVE = "indented-directive"
    DIRECTIVE_AFTER_COMMAND = "directive-after-command"  # command_line
    OTHER_SCHEDULER = "other-scheduler"  # scheduler
    BACKSLASH_AT_END = "backslash-at-end"
    OPTIONS_ON_HETJOB_LINE = "options-on-hetjob-line"  # words
    PBS_DIRECTIVE = "pbs-directive"  # option
    PBS_RESOURCE_LOST = "pbs-resource-lost"  # resource
    LSF_DIRECTIVE = "lsf-directive"  # option
    LSF_UNSUPPORTED = "lsf-unsupported"  # option
    # Words and options
    UNMATCHED_QUOTE = "unmatched-quote"  # quote
    UNEXPECTED_COLON = "unexpected-colon"
    STRAY_WORD = "stray-word"  # word
    UNKNOWN_OPTION = "unknown-option"  # option, [closest]
    AMBIGUOUS_OPTION = "ambiguous-option"  # option, candidates (joined by a blank)
    MISSING_VALUE = "missing-value"  # option, [eaten]
    UNEXPECTED_VALUE = "unexpected-value"  # option, value
    DUPLICATE_OPTION = "duplicate-option"  # option, first_line
    CONFLICTING_OPTIONS = "conflicting-options"  # options (joined by a blank)
    OPTION_PASSED_ON = "option-passed-on"  # option, value: kept and handed to the cluster, not understood here
    VALUE_CUT_AT_HASH = "value-cut-at-hash"  # kept, lost
    VALUE_STARTS_WITH_EQUALS = "value-starts-with-equals"  # option, value
    TYPOGRAPHIC_QUOTE = "typographic-quote"  # option, value
    VALUE_TOO_LONG = "value-too-long"  # option, limit
    # Values
    INVALID_NUMBER = "invalid-number"  # option, value
    INVALID_NODES = "invalid-nodes"  # value
    INVALID_TIME = "invalid-time"  # option, value
    INVALID_MEMORY = "invalid-memory"  # option, value
    INVALID_GRES = "invalid-gres"  # value, [known: names joined by a blank]
    INVALID_ARRAY = "invalid-array"  # value, [max_index], [why: syntax, too-large, heterogeneous]
    INVALID_DEPENDENCY = "invalid-dependency"  # value
    INVALID_SIGNAL = "invalid-signal"  # value
    INVALID_MAIL_TYPE = "invalid-mail-type"  # value
    INVALID_NODELIST = "invalid-nodelist"  # option, value
    INVALID_VALUE = "invalid-value"  # option or field, value, [wanted]
    # Against the site
    INVALID_ACCOUNT = "invalid-account"  # value
    INVALID_PARTITION = "invalid-partition"  # value, known (joined by a blank)
    INVALID_QOS = "invalid-qos"  # value
    INVALID_RESERVATION = "invalid-reservation"  # value
    INVALID_CLUSTER = "invalid-cluster"  # value
    UNKNOWN_NODE = "unknown-node"  # node
    UNKNOWN_FEATURE = "unknown-feature"  # feature, known (joined by a blank), [partition]
    NODES_NOT_IN_PARTITION = "nodes-not-in-partition"  # nodes (joined by a blank), partition
    PARTITION_CLOSED = "partition-closed"  # partition
    GRES_NOT_AVAILABLE = "gres-not-available"  # gres, [type], partition
    EXCEEDS_NODE = "exceeds-node"  # resource (a gres, cpu, memory_mb), wanted, available, partition
    EXCEEDS_PARTITION = "exceeds-partition"  # resource (node, cpu), wanted, available, partition
    EXCEEDS_PARTITION_TIME = "exceeds-partition-time"  # wanted_seconds, max_seconds, partition
    EXCEEDS_ACCOUNT_NODES = "exceeds-account-nodes"  # account, wanted, max
    EXCEEDS_ACCOUNT_NPUS = "exceeds-account-npus"  # account, wanted, max
    EXCEEDS_ACCOUNT_CPUS = "exceeds-account-cpus"  # account, wanted, max
    EXCEEDS_ACCOUNT_MEMORY = "exceeds-account-memory"  # account, wanted, max (MB)
    EXCEEDS_ACCOUNT_TIME = "exceeds-account-time"  # account, wanted_seconds, max_seconds
    BELOW_QOS_MINIMUM = "below-qos-minimum"  # qos, wanted, min
    EXCEEDS_QOS_NPUS = "exceeds-qos-npus"  # qos, wanted, max
    EXCEEDS_QOS_TIME = "exceeds-qos-time"  # qos, wanted_seconds, max_seconds
    IMPOSSIBLE_LAYOUT = "impossible-layout"  # tasks, nodes, tasks_per_node
    FEWER_TASKS_THAN_NODES = "fewer-tasks-than-nodes"  # tasks, nodes
    NOT_SUPPORTED_HERE = "not-supported-here"  # ability (arrays, dependencies, heterogeneous)
    # What the portal adds
    FOLDER_MAY_BE_MISSING = "folder-may-be-missing"  # option, folder
    FOLDER_WILL_BE_MADE = "folder-will-be-made"  # option, folder
    PATH_OUTSIDE = "path-outside"  # option, path
    PATH_NAMES_NO_FILE = "path-names-no-file"  # option, path
    PATH_PART_TOO_LONG = "path-part-too-long"  # option, limit
    SET_BY_PORTAL = "set-by-portal"  # option, value
    MAIL_BECOMES_NOTICE = "mail-becomes-notice"  # option, value
    # Fields of a specification that did not come as a script
    UNKNOWN_FIELD = "unknown-field"  # known (joined by a blank)
    MISSING_FIELD = "missing-field"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    kind: Kind
    severity: Severity
    message: str
    line: int = 0
    """1-based over the whole text; 0 where the finding is about a field or the job as a whole."""
    column: int = 0
    """1-based, in characters; 0 = the whole line. With `length` the span that `repair` would replace."""
    length: int = 0
    repair: str | None = None
    field: str = ""
    """Name of the field, when the value came from one."""
    facts: Mapping[str, Fact] = dataclasses.field(default_factory=dict)

    def to_dict(self) -> dict[str, object]:
        """As kept with a job and told by the API."""
        return {each.name: getattr(self, each.name) for each in dataclasses.fields(self)} | {"facts": dict(self.facts)}


class BadValue(Exception):
    """A value that Slurm would refuse; the caller knows where it stands."""

    def __init__(
        self, kind: Kind, message: str, *, repair: str | None = None, facts: Mapping[str, Fact] | None = None
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.message = message
        self.repair = repair
        self.facts = dict(facts or {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """`spec` is there whenever anything could be read, for a live preview; only an accepted one may be submitted."""

    spec: JobSpec | None
    findings: tuple[Finding, ...] = ()
    ignored_lines: tuple[int, ...] = ()
    """Lines that look like directives and do not count."""

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(each for each in self.findings if each.severity is Severity.ERROR)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        return tuple(each for each in self.findings if each.severity is Severity.WARNING)

    @property
    def accepted(self) -> bool:
        return self.spec is not None and not self.errors
