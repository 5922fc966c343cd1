"""What a reader found in a script, as sentences: from kind and facts, never from Slurm's wording (which is shown beside it).

Works on stored findings as well as on fresh ones, so a job's page says in each reader's language what was warned about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from django.utils.functional import Promise
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from scheduling.jobspec.findings import Kind

Facts = Mapping[str, str | int]
Sentence = str | Promise
Choice = Callable[[Facts], Sentence]

MEANT = _("A long option needs two dashes, with one it is read letter by letter. Write %(meant)s.")
LISTS = ("options", "candidates", "known", "nodes", "words")  # joined by a blank in the facts


def say(kind: str, facts: Facts) -> str:
    """One sentence in the reader's language. A kind of a newer portal is named, so that nothing is hidden."""
    try:
        entry = SENTENCES[Kind(kind)]
    except ValueError:
        return str(kind)
    sentence = MEANT if "meant" in facts else entry(facts) if callable(entry) else entry
    return str(sentence) % {name: _shown(name, value) for name, value in facts.items()}


def repair_label(repair: str) -> str:
    """What the button says that puts `repair` in the place of what was found."""
    if not repair:
        return str(_("Take it out"))
    return str(_("Change to %(repair)s")) % {"repair": repair}


def _shown(name: str, value: str | int) -> str | int:
    if name.endswith("_seconds") and isinstance(value, int):
        return _hours(value)
    if name in LISTS and isinstance(value, str):
        return ("、" if (get_language() or "").startswith("zh") else ", ").join(value.split())
    return value


def _hours(seconds: int) -> str:
    """The way a time limit is written in a script."""
    days, rest = divmod(seconds, 86_400)
    clock = f"{rest // 3600:02}:{rest % 3600 // 60:02}:{rest % 60:02}"
    return f"{days}-{clock}" if days else clock


def _with(name: str, there: Promise, otherwise: Promise) -> Choice:
    return lambda facts: there if facts.get(name) not in (None, "") else otherwise


def _exceeds_node(facts: Facts) -> Promise:
    match facts.get("resource"):
        case "npu":
            return _("A node of partition %(partition)s has %(available)s NPUs, you ask for %(wanted)s.")
        case "cpu":
            return _("A node of partition %(partition)s has %(available)s cores, you ask for %(wanted)s on each.")
        case "memory_mb":
            return _("A node of partition %(partition)s has %(available)s MB of memory, you ask for %(wanted)s MB.")
    return _("A node of partition %(partition)s has %(available)s %(resource)s, you ask for %(wanted)s.")


def _exceeds_partition(facts: Facts) -> Promise:
    match facts.get("resource"):
        case "node":
            return _("Partition %(partition)s has %(available)s nodes, you ask for %(wanted)s.")
        case "cpu":
            return _("Partition %(partition)s has %(available)s cores in all, you ask for %(wanted)s.")
    return _("Partition %(partition)s has %(available)s %(resource)s in all, you ask for %(wanted)s.")


def _array(facts: Facts) -> Promise:
    match facts.get("why"):
        case "too-large" if "max_index" in facts:
            return _("The array %(value)s goes too far: the greatest index here is %(max_index)s.")
        case "heterogeneous":
            return _("A job of several components cannot be an array.")
    return _("“%(value)s” is no list of array indices. Write 0-9, 0-9:2, 1,3,5 or 0-9%%2.")


def _not_supported(facts: Facts) -> Promise:
    match facts.get("ability"):
        case "arrays":
            return _("This cluster runs no job arrays yet. Submit the tasks one by one.")
        case "dependencies":
            return _(
                "This cluster knows no dependencies between jobs yet. Submit the second job when the first has ended."
            )
        case "heterogeneous":
            return _("This cluster runs no jobs of several different components. Submit each of them by itself.")
    return _("This cluster does not offer %(ability)s.")


SENTENCES: Mapping[Kind, Promise | Choice] = {
    Kind.EMPTY_SCRIPT: _("The script is empty. Paste one, upload a file or take a preset."),
    Kind.NO_SHEBANG: _("The first line must name the program that runs the script: #!/bin/bash"),
    Kind.BOM_BEFORE_SHEBANG: _(
        "An invisible mark (a byte order mark) stands before the first line, so #! does not count."
    ),
    Kind.DOS_LINE_BREAKS: _("The file has Windows line ends (CR LF). Slurm refuses it; one click converts them."),
    Kind.NUL_BYTE: _("There is a NUL character in this line: the file seems to be no text."),
    Kind.TOO_MANY_DIRECTIVES: _("The script has %(directives)s directives; more than %(limit)s are not read."),
    Kind.TOO_MANY_FINDINGS: _("There is more to say: %(count)s remarks in all, of which %(shown)s are shown."),
    Kind.LOOKS_LIKE_DIRECTIVE: _(
        "“%(word)s” looks like a directive but is read as a comment. It must be written #SBATCH, at the start of the line."
    ),
    Kind.OLD_MAGIC_WORD: _("#SLURM is the old word for #SBATCH; it is still read. Write #SBATCH."),
    Kind.INDENTED_DIRECTIVE: _("A directive with blanks before it is a comment. It must start in the first column."),
    Kind.DIRECTIVE_AFTER_COMMAND: _(
        "Directives after the first command (line %(command_line)s) do not count. Move it up."
    ),
    Kind.OTHER_SCHEDULER: _("This line is for %(scheduler)s and is not read here."),
    Kind.BACKSLASH_AT_END: _("A backslash does not continue a directive: each line is read by itself."),
    Kind.OPTIONS_ON_HETJOB_LINE: _("A line with hetjob only separates components; %(words)s on it is lost."),
    Kind.PBS_DIRECTIVE: _("The PBS option %(option)s is read as its Slurm counterpart."),
    Kind.PBS_RESOURCE_LOST: _("The PBS resource %(resource)s has no counterpart here and is left out."),
    Kind.LSF_DIRECTIVE: _("The LSF option %(option)s is read as its Slurm counterpart."),
    Kind.LSF_UNSUPPORTED: _("The LSF option %(option)s has no counterpart here and is left out."),
    Kind.UNMATCHED_QUOTE: _("The quote %(quote)s is opened and never closed."),
    Kind.UNEXPECTED_COLON: _("A word cannot start with a colon here."),
    Kind.STRAY_WORD: _("“%(word)s” belongs to no option. A comment needs a # before it."),
    Kind.UNKNOWN_OPTION: _with(
        "closest",
        _("There is no option %(option)s. Is %(closest)s meant?"),
        _("There is no option %(option)s known here."),
    ),
    Kind.AMBIGUOUS_OPTION: _("“%(option)s” can be short for several options: %(candidates)s. Write it in full."),
    Kind.MISSING_VALUE: _with(
        "eaten",
        _("--%(option)s has no value, so “%(eaten)s” of the next line is taken for it."),
        _("--%(option)s needs a value."),
    ),
    Kind.UNEXPECTED_VALUE: _("--%(option)s takes no value, “%(value)s” is given."),
    Kind.DUPLICATE_OPTION: _("--%(option)s is given in line %(first_line)s already; the last one counts."),
    Kind.CONFLICTING_OPTIONS: _("These options contradict each other: %(options)s. Keep one of them."),
    Kind.OPTION_PASSED_ON: _("--%(option)s means nothing to the portal; it is kept and passed on as it is."),
    Kind.VALUE_CUT_AT_HASH: _("Everything after # is a comment: only “%(kept)s” is read, “%(lost)s” is lost."),
    Kind.VALUE_STARTS_WITH_EQUALS: _(
        "The value of --%(option)s starts with an equals sign (%(value)s). Write -x value or --option=value."
    ),
    Kind.TYPOGRAPHIC_QUOTE: _(
        "Typographic quotes do not quote: they become part of the value of --%(option)s (%(value)s). Use straight ones."
    ),
    Kind.VALUE_TOO_LONG: _("The value of --%(option)s is longer than %(limit)s characters."),
    Kind.INVALID_NUMBER: _("“%(value)s” is no number that --%(option)s takes."),
    Kind.INVALID_NODES: _("“%(value)s” is no number of nodes. Write 2, or a range such as 2-4."),
    Kind.INVALID_TIME: _("“%(value)s” is no time. Write minutes, HH:MM:SS or D-HH:MM:SS, for example 24:00:00."),
    Kind.INVALID_MEMORY: _(
        "“%(value)s” is no amount of memory. Write a whole number with K, M, G or T, for example 64G."
    ),
    Kind.INVALID_GRES: _with(
        "known",
        _("“%(value)s” is no device of this cluster. There is: %(known)s."),
        _("“%(value)s” is no list of devices. Write npu:8."),
    ),
    Kind.INVALID_ARRAY: _array,
    Kind.INVALID_DEPENDENCY: _("“%(value)s” is no dependency. Write afterok:1234, or several joined by commas."),
    Kind.INVALID_SIGNAL: _("“%(value)s” is no signal. Write NAME@seconds, for example B:USR1@600."),
    Kind.INVALID_MAIL_TYPE: _("“%(value)s” is no list of mail types. Write END,FAIL for example."),
    Kind.INVALID_NODELIST: _("“%(value)s” is no list of nodes. Write node-[01-04] or node-01,node-02."),
    Kind.INVALID_VALUE: _with(
        "wanted",
        _("“%(value)s” is not possible here; wanted is %(wanted)s."),
        _("“%(value)s” is not possible here."),
    ),
    Kind.INVALID_ACCOUNT: _("There is no account “%(value)s” that you may use."),
    Kind.INVALID_PARTITION: _with(
        "known",
        _("There is no partition “%(value)s” that you may use. There is: %(known)s."),
        _("There is no partition “%(value)s” that you may use."),
    ),
    Kind.INVALID_QOS: _("There is no QOS “%(value)s” that you may use."),
    Kind.INVALID_RESERVATION: _("There is no reservation “%(value)s”."),
    Kind.INVALID_CLUSTER: _("There is no cluster “%(value)s”."),
    Kind.UNKNOWN_NODE: _("There is no node “%(node)s”."),
    Kind.UNKNOWN_FEATURE: _with(
        "known",
        _("No node has the feature “%(feature)s”. There is: %(known)s."),
        _("No node has the feature “%(feature)s”."),
    ),
    Kind.NODES_NOT_IN_PARTITION: _("These nodes are not in partition %(partition)s: %(nodes)s."),
    Kind.PARTITION_CLOSED: _("Partition %(partition)s is closed at the moment; the job waits until it opens."),
    Kind.GRES_NOT_AVAILABLE: _with(
        "type",
        _("No node of partition %(partition)s has %(gres)s of the type %(type)s."),
        _("No node of partition %(partition)s has %(gres)s."),
    ),
    Kind.EXCEEDS_NODE: _exceeds_node,
    Kind.EXCEEDS_PARTITION: _exceeds_partition,
    Kind.EXCEEDS_PARTITION_TIME: _(
        "Partition %(partition)s allows at most %(max_seconds)s, you ask for %(wanted_seconds)s."
    ),
    Kind.EXCEEDS_ACCOUNT_NODES: _("Account %(account)s may use %(max)s nodes for one job, you ask for %(wanted)s."),
    Kind.EXCEEDS_ACCOUNT_NPUS: _("Account %(account)s may use %(max)s NPUs, you ask for %(wanted)s."),
    Kind.EXCEEDS_ACCOUNT_CPUS: _("Account %(account)s may use %(max)s cores, you ask for %(wanted)s."),
    Kind.EXCEEDS_ACCOUNT_MEMORY: _("Account %(account)s may use %(max)s MB of memory, you ask for %(wanted)s MB."),
    Kind.EXCEEDS_ACCOUNT_TIME: _("Account %(account)s allows at most %(max_seconds)s, you ask for %(wanted_seconds)s."),
    Kind.BELOW_QOS_MINIMUM: _("QOS %(qos)s is for jobs of at least %(min)s NPUs, you ask for %(wanted)s."),
    Kind.EXCEEDS_QOS_NPUS: _("QOS %(qos)s allows %(max)s NPUs, you ask for %(wanted)s."),
    Kind.EXCEEDS_QOS_TIME: _("QOS %(qos)s allows at most %(max_seconds)s, you ask for %(wanted_seconds)s."),
    Kind.IMPOSSIBLE_LAYOUT: _("%(tasks)s tasks do not fit on %(nodes)s nodes with %(tasks_per_node)s on each."),
    Kind.FEWER_TASKS_THAN_NODES: _("With %(tasks)s tasks on %(nodes)s nodes some nodes have nothing to do."),
    Kind.NOT_SUPPORTED_HERE: _not_supported,
    Kind.FOLDER_MAY_BE_MISSING: _(
        "The folder %(folder)s of --%(option)s must be there before the job starts: Slurm makes none."
    ),
    Kind.FOLDER_WILL_BE_MADE: _(
        "The folder %(folder)s of --%(option)s will be made in the job's folder. Slurm itself makes none."
    ),
    Kind.PATH_OUTSIDE: _("%(path)s (--%(option)s) leads out of the job's folder. Write a path inside it."),
    Kind.PATH_NAMES_NO_FILE: _("%(path)s (--%(option)s) names no file. Write a path that ends with a file's name."),
    Kind.PATH_PART_TOO_LONG: _("A name in the path of --%(option)s is longer than %(limit)s bytes. Shorten it."),
    Kind.SET_BY_PORTAL: _("--%(option)s is set by the portal; yours (%(value)s) is ignored."),
    Kind.MAIL_BECOMES_NOTICE: _("Instead of mail by --%(option)s (%(value)s) you get the portal's own notices."),
    Kind.UNKNOWN_FIELD: _("There is no such field. There is: %(known)s."),
    Kind.MISSING_FIELD: _("This field is needed."),
}
