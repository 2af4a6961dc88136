"""DP15: batches in flight that do not fit into /dev/shm."""

from __future__ import annotations

from typing import Any

from dpkb_audit.check import LIKELY, Check
from dpkb_audit.records import LoaderRecord
from dpkb_audit.sample_digests import leaves_of
from dpkb_audit.system import os
from dpkb_audit.tensors import is_tensor

_SHM = "/dev/shm"


class DP15(Check):
    description = "the size of batches that workers send, and of /dev/shm"
    fix = "use a larger /dev/shm (--shm-size), fewer workers, or smaller batches (uint8 images)"

    def on_batch(self, record: LoaderRecord, batch: Any, waited: float) -> None:
        loader = record.loader
        if record.batches > 1 or loader is None or not loader.num_workers or not os.path.isdir(_SHM):
            return
        tensors = [leaf for _, leaf in leaves_of(batch) if is_tensor(leaf) and leaf.is_shared()]
        size = sum(leaf.numel() * leaf.element_size() for leaf in tensors)
        batches_in_flight = loader.num_workers * (loader.prefetch_factor or 2) + 2
        status = os.statvfs(_SHM)
        total = status.f_frsize * status.f_blocks
        if record.length:
            batches_in_flight = min(batches_in_flight, record.length)
        if size * batches_in_flight > total > 0:
            self.report(
                LIKELY,
                f"{batches_in_flight} batches of {size / 2**20:.3g} MB may be in flight, and "
                f"{_SHM} has {total / 2**20:.3g} MB",
                where=record.where,
                batch_bytes=size,
                shm_bytes=total,
            )
