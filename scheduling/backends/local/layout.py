"""How the tasks of a step lie on its nodes: in blocks, as even as can be, lower ranks on earlier nodes."""

from __future__ import annotations


def distribute(tasks: int, nodes: int) -> list[int]:
    each, over = divmod(tasks, nodes)
    return [each + (1 if index < over else 0) for index in range(nodes)]


def fold_counts(counts: list[int]) -> str:
    """As in SLURM_TASKS_PER_NODE: 8(x2),4"""
    groups: list[tuple[int, int]] = []
    for count in counts:
        if groups and groups[-1][0] == count:
            groups[-1] = (count, groups[-1][1] + 1)
        else:
            groups.append((count, 1))
    return ",".join(f"{count}(x{times})" if times > 1 else str(count) for count, times in groups)


def npu_list(npus: list[int]) -> str:
    """As in ASCEND_RT_VISIBLE_DEVICES: ascending. Empty hides all; left out, a program would see every NPU."""
    return ",".join(str(npu) for npu in sorted(npus))
