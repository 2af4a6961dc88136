"""E2: a class with the methods of both releases can be instantiated with both.

The message names the methods that are missing. An older release does not call them.

Symptom: none: the writer keeps the metadata
Needs:   torch; cpu; about 3 s
Run:     python fix_abstract.py; python broken_abstract.py
"""
import json
import sys

import torch

try:
    from torch.distributed.checkpoint import StorageWriter
except ImportError:
    print(f"SKIPPED torch {torch.__version__} has no StorageWriter")
    sys.exit(77)


class MemoryWriter(StorageWriter):
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

    def reset(self, checkpoint_id=None):  # FIX: since torch 2.3
        self.files.clear()

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id):  # FIX: since torch 2.3
        return True


if __name__ == "__main__":
    writer = MemoryWriter()
    writer.finish("step 1", [])

    healthy = writer.files == {"metadata": "step 1"}
    print("OBSERVED", json.dumps({"healthy": healthy, "files": writer.files}))
    sys.exit(0 if healthy else 1)
