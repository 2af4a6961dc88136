"""X3: torch.compile compiles a function again and again, until it gives up."""

from __future__ import annotations

import sys

from dpkb_audit.check import LIKELY, Check

# What torch 2.15, and torch 2.4, call the limit.
_LIMITS = "recompile limit", "cache size limit"


class X3(Check):
    description = "how often torch.compile gave up compiling a function again, from its own counters"
    fix = "store what changes from step to step as a tensor, and pad to a few shapes"

    def on_end(self) -> None:
        counters = getattr(sys.modules.get("torch._dynamo.utils"), "counters", {})
        limits = [
            number
            for reason, number in counters.get("unimplemented", {}).items()
            if any(words in str(reason).lower().replace("_", " ") for words in _LIMITS)
        ]
        graphs = counters.get("stats", {}).get("unique_graphs", 0)
        if limits:
            self.report(
                LIKELY,
                f"torch.compile made {graphs} graphs, and gave up {sum(limits)} functions, which it had to "
                "compile again each time",
                graphs=graphs,
            )
