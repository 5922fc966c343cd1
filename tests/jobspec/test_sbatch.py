"""What goes beyond the corpus: the everyday script, options, layout, the portal's own findings, speed."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from scheduling.jobspec import Account, Finding, Kind, Severity, Site, read
from tests.jobspec.corpus_runner import OWN, cases
from tests.jobspec.reference import SITE

EVERYDAY = """\
#!/bin/bash
#SBATCH --job-name=llm_finetune          # name
#SBATCH --partition=npu
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=8
#SBATCH --cpus-per-task=8
#SBATCH --gres=npu:8
#SBATCH --time=24:00:00
#SBATCH --output=logs/%j.out
#SBATCH --error=logs/%j.err
#SBATCH --mail-type=END,FAIL
#SBATCH --mail-user=user@company.com
source /usr/local/Ascend/ascend-toolkit/set_env.sh
export RANK_SIZE=$SLURM_NTASKS
python generate_rank_table.py --nodes $SLURM_JOB_NODELIST --npus 8
srun python train.py --config config.yaml --distributed True
"""
PORTAL = replace(
    SITE, makes_folders=True, paths_inside_only=True, portal_owns=frozenset({"account", "qos", "comment", "mail"})
)


def kinds(*directives: str, site: Site = SITE) -> list[tuple[int, str]]:
    script = "\n".join(["#!/bin/bash", *(f"#SBATCH {each}" for each in directives), "srun x", ""])
    return [(each.line, str(each.kind)) for each in read(script, site).findings]


def only(*directives: str, site: Site = SITE) -> Finding:
    script = "\n".join(["#!/bin/bash", *(f"#SBATCH {each}" for each in directives), "srun x", ""])
    (found,) = read(script, site).findings
    return found


def test_everyday_script_is_read_whole() -> None:
    reading = read(EVERYDAY, PORTAL)
    assert reading.accepted
    spec = reading.spec
    assert spec is not None
    part = spec.main
    assert (spec.name, spec.partition, spec.time_limit_seconds) == ("llm_finetune", "npu", 86400)
    assert (part.nodes_min, part.nodes_max, part.tasks, part.tasks_per_node) == (2, 2, 16, 8)
    assert (part.cpus_per_task, part.total_cpus, part.npus_per_node, spec.total_npus) == (8, 128, 8, 16)
    assert (spec.mail_type, spec.mail_user) == (("END", "FAIL"), "user@company.com")
    assert (spec.output, spec.error) == ("logs/%j.out", "logs/%j.err")


def test_everyday_script_tells_of_its_folder_once_and_of_its_mail() -> None:
    found = [(each.line, each.kind, each.severity) for each in read(EVERYDAY, PORTAL).findings]
    assert found == [
        (9, Kind.FOLDER_WILL_BE_MADE, Severity.INFO),
        (11, Kind.MAIL_BECOMES_NOTICE, Severity.INFO),
        (12, Kind.MAIL_BECOMES_NOTICE, Severity.INFO),
    ]


def test_folder_is_a_warning_where_nobody_makes_it() -> None:
    assert only("-o logs/x.out").severity is Severity.WARNING
    assert only("-o logs/x.out").kind is Kind.FOLDER_MAY_BE_MISSING


@pytest.mark.parametrize("path", ["/tmp/x", "../x", "logs/../../x", ".."])
def test_path_outside_is_refused_only_where_the_site_says_so(path: str) -> None:
    assert only(f"-o {path}", site=PORTAL).severity is Severity.ERROR
    assert only(f"-o {path}").severity is Severity.INFO


@pytest.mark.parametrize("path", ["x.out", "./x.out", "%%.out", "/dev/null"])
def test_path_inside_is_no_finding(path: str) -> None:
    assert kinds(f"-o {path}", site=PORTAL) == []


def test_what_the_portal_sets_is_said_to_be_ignored() -> None:
    found = kinds("-A team-b", "--comment=mine", site=PORTAL)
    assert found == [(2, "set-by-portal"), (3, "set-by-portal")]


def test_all_errors_are_found_not_only_the_first() -> None:
    found = kinds("-t 24h", "-n x", "--mem=1.5G", "--nope", "-p nosuch")
    assert found == [
        (2, "invalid-time"),
        (3, "invalid-number"),
        (4, "invalid-memory"),
        (5, "unknown-option"),
        (6, "invalid-partition"),
    ]


@pytest.mark.parametrize(
    ("directive", "value"),
    [("--job=a", "a"), ("--job-n a", "a"), ("-Ja", "a"), ("-J a", "a"), ('-J"a b"', "a b")],
)
def test_ways_to_give_an_option(directive: str, value: str) -> None:
    reading = read(f"#!/bin/sh\n#SBATCH {directive}\n", SITE)
    assert reading.findings == ()
    assert reading.spec is not None
    assert reading.spec.name == value


def test_short_flags_may_stand_together() -> None:
    reading = read("#!/bin/sh\n#SBATCH -HN2\n", SITE)
    assert reading.spec is not None
    assert reading.spec.nodes_min == 2
    assert ("hold", None) in reading.spec.extra


@pytest.mark.parametrize(
    ("directive", "kind", "message"),
    [
        ("--time", Kind.MISSING_VALUE, "option '--time' requires an argument"),
        ("-t", Kind.MISSING_VALUE, "option requires an argument -- 't'"),
        ("-Y", Kind.UNKNOWN_OPTION, "invalid option -- 'Y'"),
        ("--hold=1", Kind.UNEXPECTED_VALUE, "option '--hold' doesn't allow an argument"),
        ("--exclu", Kind.AMBIGUOUS_OPTION, "option '--exclu' is ambiguous; possibilities: '--exclude' '--exclusive'"),
        ("-n 1 : -n 2", Kind.UNEXPECTED_COLON, "Unexpected `:` in [ : -n 2]"),
        ("-J a\\ b", Kind.STRAY_WORD, "Invalid directive found in batch script: b"),
        ("-- -n 1", Kind.STRAY_WORD, "Invalid directive found in batch script: -n"),
    ],
)
def test_words_refused(directive: str, kind: Kind, message: str) -> None:
    found = read(f"#!/bin/sh\n#SBATCH {directive}\n", SITE).errors[0]
    assert (found.kind, found.message) == (kind, message)


def test_unknown_option_names_the_closest_and_offers_it() -> None:
    found = only("--cpu-per-task=8")
    assert (found.facts["closest"], found.repair) == ("cpus-per-task", "--cpus-per-task=8")


def test_unknown_option_is_kept_where_the_cluster_is_not_slurm() -> None:
    reading = read("#!/bin/sh\n#SBATCH --colour=red\n", Site())
    assert reading.accepted
    assert reading.spec is not None
    assert reading.spec.extra == (("colour", "red"),)
    assert [each.kind for each in reading.warnings] == [Kind.UNKNOWN_OPTION]


def test_option_of_a_newer_slurm_is_known_there() -> None:
    script = "#!/bin/sh\n#SBATCH -n4 --tres-per-task=gres/npu:1\n"
    assert not read(script, SITE).accepted
    assert read(script, replace(SITE, version=(24, 5))).accepted


def test_real_option_that_is_not_understood_is_passed_on() -> None:
    reading = read("#!/bin/sh\n#SBATCH --licenses=a:2 -D /data\n", SITE)
    assert reading.accepted
    assert reading.spec is not None
    assert reading.spec.extra == (("licenses", "a:2"), ("chdir", "/data"))
    assert [each.kind for each in reading.warnings] == [Kind.OPTION_PASSED_ON] * 2


def test_single_dash_before_a_long_name_offers_two() -> None:
    assert only("-nodes=2").repair == "--nodes=2"


def test_span_of_a_repair_is_the_word_it_replaces() -> None:
    line = "#SBATCH -N 1 --time=24h   # a day"
    (found,) = read(f"#!/bin/sh\n{line}\n", SITE).findings
    before, after = line[: found.column - 1], line[found.column - 1 + found.length :]
    assert f"{before}{found.repair}{after}" == "#SBATCH -N 1 --time=24:00:00   # a day"


def test_value_in_its_own_word_is_repaired_alone() -> None:
    line = "#SBATCH --time 24h"
    (found,) = read(f"#!/bin/sh\n{line}\n", SITE).findings
    assert line[: found.column - 1] + str(found.repair) == "#SBATCH --time 24:00:00"


@pytest.mark.parametrize(
    ("directives", "nodes", "tasks", "cpus"),
    [
        ("-n 16 --ntasks-per-node=8", (2, None), 16, 16),
        ("-N 2-4", (2, 4), 2, 2),
        ("-N 3 --ntasks-per-node=4 -c 2", (3, 3), 12, 24),
        ("-w node[01-02] -c 4", (2, None), 2, 8),
        ("-N 4 -n 2", (2, 2), 2, 2),
        ("-n 200", (2, None), 200, 200),
        ("-c 100 -n 3", (3, None), 3, 300),
        ("-n 400 -N 2-3", (3, 3), 400, 400),
        ("-n 192 --mem-per-cpu=8G", (2, None), 192, 192),
        ("-O -n 500 -N1", (1, 1), 500, 1),
        ("-n 2000", (11, None), 2000, 2000),
    ],
)
def test_layout(directives: str, nodes: tuple[int, int | None], tasks: int, cpus: int) -> None:
    spec = read(f"#!/bin/sh\n#SBATCH {directives}\n", SITE).spec
    assert spec is not None
    assert ((spec.nodes_min, spec.nodes_max), spec.tasks, spec.total_cpus) == (nodes, tasks, cpus)


@pytest.mark.parametrize(
    ("directive", "kind"),
    [
        ("-c 193", Kind.EXCEEDS_NODE),
        ("--ntasks-per-node=8 -c 30", Kind.EXCEEDS_NODE),
        ("-N1 -n 200", Kind.EXCEEDS_NODE),
        ("-x node[01-08]", Kind.EXCEEDS_PARTITION),
        ("-w node01 -x node01", Kind.INVALID_NODELIST),
        ("-w node[01-03] -N1", Kind.INVALID_NODES),
        ("-p gpu --gpus=9", Kind.EXCEEDS_PARTITION),
        ("-p gpu --gpus-per-task=1", Kind.CONFLICTING_OPTIONS),
        ("-p gpu --gpus-per-node=gpu:2", Kind.GRES_NOT_AVAILABLE),
        ("-p gpu --gpus=2 --ntasks-per-gpu=1 --ntasks-per-node=1", Kind.CONFLICTING_OPTIONS),
        ("-n 100 --ntasks-per-node=8", Kind.EXCEEDS_PARTITION),
        ("-C a100", Kind.UNKNOWN_FEATURE),
        ("-C !roce", Kind.UNKNOWN_FEATURE),
        ("--mem-per-cpu=8G -n 192 -N1", Kind.EXCEEDS_NODE),
        ("--time-min=abc", Kind.INVALID_TIME),
        ("--open-mode=x", Kind.INVALID_VALUE),
        ("--mem-per-cpu=100G -c 20", Kind.EXCEEDS_NODE),
        ("-w node99", Kind.UNKNOWN_NODE),
        ("-w vm", Kind.NODES_NOT_IN_PARTITION),
        ("-q high --gres=npu:4 -N4", Kind.EXCEEDS_QOS_NPUS),
        ("-q high --gres=npu:4 -t 13:0:0", Kind.EXCEEDS_QOS_TIME),
        ("--gres=gpu:1,shard:1 -p gpu", Kind.INVALID_GRES),
    ],
)
def test_site_refuses(directive: str, kind: Kind) -> None:
    assert read(f"#!/bin/sh\n#SBATCH {directive}\n", SITE).errors[0].kind == kind


def test_of_several_partitions_the_one_that_takes_the_job_decides() -> None:
    assert kinds("-p dev,npu --gres=npu:8") == []
    assert kinds("-p dev,gpu --gres=npu:8") == [(2, "gres-not-available")]


def test_enforced_partition_limits_refuse() -> None:
    site = replace(SITE, enforce_part_limits=True)
    assert read("#!/bin/sh\n#SBATCH -A team-b -t 8-0\n", site).errors[0].kind == Kind.EXCEEDS_PARTITION_TIME


def test_backend_without_arrays_refuses_them() -> None:
    assert kinds("-a 1-3", site=Site(lacks=frozenset({"arrays"}))) == [(2, "not-supported-here")]


def test_what_is_not_known_is_not_judged() -> None:
    wild = ("-p any -A any -q any -w any[1-9] -C any", "--gres=npu:99 -c 9999 --mem=999T -t 99-0", "--reservation=any")
    assert kinds(*wild, site=Site()) == []


def test_account_limits_say_whose_they_are() -> None:
    site = Site(accounts=(Account(name="nlp", default=True, max_cpus=8),))
    found = only("-n 9", site=site)
    assert (found.kind, found.facts) == (Kind.EXCEEDS_ACCOUNT_CPUS, {"account": "nlp", "wanted": 9, "max": 8})


def test_line_numbers_survive_blank_lines_comments_and_dos_breaks() -> None:
    text = "#!/bin/bash\n\n# note\n#SBATCH -J a\n\n#SBATCH -t 24h\nsrun x\n"
    for script in (text, text.replace("\n", "\r\n")):
        assert [each.line for each in read(script, SITE).errors if each.kind == Kind.INVALID_TIME] == [6]


def test_heredoc_with_quotes_and_tabs_hides_directives() -> None:
    script = "#!/bin/sh\ncat <<-'END' > x\n#SBATCH -N2\n\tEND\n#SBATCH -N3\n"
    reading = read(script, SITE)
    assert reading.ignored_lines == (3, 5)
    assert [(each.line, each.kind) for each in reading.findings] == [(5, Kind.DIRECTIVE_AFTER_COMMAND)]


def test_shift_operator_is_no_heredoc() -> None:
    reading = read("#!/usr/bin/env python3\ny = 1 << x\n#SBATCH -N2\n", SITE)
    assert [each.kind for each in reading.findings] == [Kind.DIRECTIVE_AFTER_COMMAND]


def test_heterogeneous_job_adds_up() -> None:
    spec = read("#!/bin/sh\n#SBATCH -N1\n#SBATCH hetjob\n#SBATCH -N2 --gres=npu:8\n", SITE).spec
    assert spec is not None
    assert (spec.heterogeneous, spec.nodes_min, spec.total_npus) == (True, 3, 16)


def test_range_of_nodes_has_a_worst_case() -> None:
    spec = read("#!/bin/sh\n#SBATCH -N2-4 --gres=npu:8\n", SITE).spec
    assert spec is not None
    assert (spec.total_npus, spec.most_npus) == (16, 32)


def test_reading_is_fast_enough_to_follow_typing() -> None:
    scripts = [case["input"] for case in cases(OWN) if case["kind"] == "sbatch"]
    fastest = min(_seconds(scripts) for _ in range(3))
    assert fastest / len(scripts) < 0.005


def _seconds(scripts: list[str]) -> float:
    before = time.perf_counter()
    for script in scripts:
        read(script, SITE)
    return time.perf_counter() - before
