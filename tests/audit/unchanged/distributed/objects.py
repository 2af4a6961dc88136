# Collectives of objects, on one rank, and their pickling by reference.
import pickle
import tempfile

import torch
import torch.distributed as dist

dist.init_process_group("gloo", init_method=f"file://{tempfile.mktemp()}", rank=0, world_size=1)
received = [None]
dist.all_gather_object(received, {"loss": torch.ones(1), "f": dist.all_gather_object})
print(received[0]["loss"].item(), received[0]["f"] is dist.all_gather_object)
shared = [1, "two"]
dist.broadcast_object_list(shared)
print(shared)
for name in (
    "all_reduce",
    "barrier",
    "broadcast",
    "all_gather",
    "init_process_group",
    "destroy_process_group",
):
    try:
        print(name, pickle.loads(pickle.dumps(getattr(dist, name))) is getattr(dist, name))
    except Exception as error:
        print(name, type(error).__name__)
dist.destroy_process_group()
