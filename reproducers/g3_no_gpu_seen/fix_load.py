"""G3: a checkpoint that was saved on a GPU is loaded to the CPU.

map_location says where the tensors go, whatever the file names. The model moves them later.
register_package() writes here the name that a machine with a GPU writes.

Symptom: none: the weights are equal
Needs:   torch; cpu; about 3 s
Run:     python broken_load.py; python fix_load.py
"""
import json
import sys
import tempfile

import torch

if torch.cuda.is_available():
    print("SKIPPED this machine has a GPU that torch sees")
    sys.exit(77)


def name_of_device(storage):
    return "cuda:0"


if __name__ == "__main__":
    model = torch.nn.Linear(2, 1)
    with tempfile.TemporaryDirectory() as folder:
        torch.serialization.register_package(5, name_of_device, lambda storage, name: None)
        torch.save(model.state_dict(), folder + "/model.pt")
        state = torch.load(folder + "/model.pt", map_location="cpu")  # FIX: always to the CPU

    healthy = torch.equal(state["weight"], model.weight)
    print("OBSERVED", json.dumps({"healthy": healthy, "device": str(state["weight"].device)}))
    sys.exit(0 if healthy else 1)
