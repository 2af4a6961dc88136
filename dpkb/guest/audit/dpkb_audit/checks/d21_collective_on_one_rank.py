"""D21: a collective, or a DDP forward pass with buffers, that not all ranks call.

The check of D9 notes the facts.
"""

from __future__ import annotations

from dpkb_audit.checks._rank_order_check import OrderCheck


class D21(OrderCheck):
    description = "the order of collectives and DDP passes of each rank"
    fix = (
        "call it on all ranks; validate on one rank with model.module, and let rank 0 broadcast its decisions"
    )
