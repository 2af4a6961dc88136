"""DP3: ranks whose IterableDataset gives them different numbers of batches.

The check of D9 notes the facts.
"""

from __future__ import annotations

from dpkb_audit.checks._rank_order_check import OrderCheck


class DP3(OrderCheck):
    description = "the number of batches that each rank gets from an IterableDataset"
    fix = "agree on the smallest number of batches before the epoch, or train inside model.join()"
