"""E2: a class of yours lacks a method that its base class requires since a newer release.

torch 2.3 added abstract methods to StorageWriter. A subclass that was written for torch 2.2 cannot
be instantiated any more.

Symptom: TypeError: Can't instantiate abstract class MemoryWriter with abstract methods reset, ...
Needs:   torch; cpu; about 3 s
Run:     python broken_abstract.py; python fix_abstract.py; diff broken_abstract.py fix_abstract.py
"""
import json
import sys

import torch

try:
    from torch.distributed.checkpoint import StorageWriter
except ImportError:
    print(f"SKIPPED torch {torch.__version__} has no StorageWriter")
    sys.exit(77)


class MemoryWriter(StorageWriter):  # BUG: without the methods that torch 2.3 has added
    def __init__(self):
        self.files = {}

    def set_up_storage_writer(self, is_coordinator, *args, **kwargs):
        self.files.clear()

    def prepare_local_plan(self, plan):
        return plan

    def prepare_global_plan(self, plans):
        return plans

    def write_data(self, plan, planner):
        return torch.futures.Future()

    def finish(self, metadata, results):
        self.files["metadata"] = metadata


if __name__ == "__main__":
    writer = MemoryWriter()
    writer.finish("step 1", [])

    healthy = writer.files == {"metadata": "step 1"}
    print("OBSERVED", json.dumps({"healthy": healthy, "files": writer.files}))
    sys.exit(0 if healthy else 1)
