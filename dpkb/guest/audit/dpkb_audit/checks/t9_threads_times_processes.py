"""T9: ranks that together compute with more threads than there are cores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpkb_audit.check import LIKELY, Check
from dpkb_audit.cpu_times import count_cores
from dpkb_audit.facts import Fact

# With more threads of torch for each core they wait for each other.
_MANY = 2


class T9(Check):
    description = "the threads of torch on all ranks, and the cores of the machine"
    fix = "OMP_NUM_THREADS=N in front of the command, where N is the number of cores divided by that of ranks"

    def on_step_ended(self, optimizer: Any) -> None:
        import torch

        if self.audit.world_size > 1:
            self.note(threads=torch.get_num_threads(), cores=count_cores())
        self.pause("step_ended")

    @classmethod
    def compare(cls, facts: list[Fact]) -> Iterator[dict[str, Any]]:
        cores, threads = (
            max((fact["cores"] for fact in facts), default=0),
            sum(fact["threads"] for fact in facts),
        )
        if threads > _MANY * cores > 0:
            yield cls.finding(
                LIKELY,
                f"{len(facts)} ranks compute with {threads} threads on {cores} cores",
                threads=threads,
                cores=cores,
            )
