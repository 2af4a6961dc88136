# torch.save and torch.load with buffers, map_location functions, mmap, weights_only errors and missing files.
# needs: torch>=2.0
import io
import os
import pathlib
import warnings

import torch
from torch import nn

warnings.simplefilter("ignore")
torch.manual_seed(0)
torch.set_num_threads(1)


class Own:
    pass


net = nn.Linear(2, 2)
buf = io.BytesIO()
print(torch.save(net.state_dict(), buf), buf.tell() > 0)
buf.seek(0)
print(sorted(torch.load(buf, map_location=lambda s, loc: (print("location", loc), s)[1])))
torch.save({"own": Own(), "x": torch.ones(2)}, pathlib.Path("own.pt"))
for weights_only in (True, False):
    try:
        print(type(torch.load("own.pt", weights_only=weights_only)["own"]).__name__)
    except Exception as e:
        print(type(e).__name__, str(e).splitlines()[0][:60])
try:
    torch.load("missing.pt")
except FileNotFoundError as e:
    print(e.errno, e.filename)
try:
    torch.save(lambda: 0, "lambda.pt")
except Exception as e:
    print(type(e).__name__, os.path.exists("lambda.pt"))
torch.save(net.state_dict(), "old.pt", _use_new_zipfile_serialization=False)
print(torch.load("old.pt")["weight"].tolist() == net.weight.tolist())
torch.save(torch.arange(4), "m.pt")
print(torch.load("m.pt", mmap=True).tolist(), len(os.listdir("/proc/self/fd")) < 40)
os.remove("old.pt")  # its bytes hold addresses
print(net.load_state_dict({"weight": torch.zeros(2, 2)}, strict=False))
try:
    net.load_state_dict({"weight": torch.zeros(3, 3), "extra": 1})
except RuntimeError as e:
    print(e)
