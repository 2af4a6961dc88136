# A torch that cannot be imported, twice: the traceback that the program prints, and the one that ends it.
# ends: 1
import os
import sys
import traceback

os.makedirs("broken/torch")
with open("broken/torch/__init__.py", "w") as file:
    file.write('raise ImportError("libtorch_cpu.so: cannot open shared object file")\n')
sys.path.insert(0, "broken")
try:
    import torch
except ImportError:
    traceback.print_exc()
import torch  # noqa: F811
