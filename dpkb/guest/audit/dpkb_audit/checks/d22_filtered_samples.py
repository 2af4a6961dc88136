"""D22: ranks that skip different batches. The check of D9 notes the facts."""

from __future__ import annotations

from dpkb_audit.checks._rank_order_check import OrderCheck


class D22(OrderCheck):
    description = "the batches that each rank gets, and those that it calls backward() for"
    fix = "replace unreadable samples instead of skipping, or exchange a flag so that all ranks skip together"
