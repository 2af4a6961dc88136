# torch is imported lazily, after its spec was looked for and its import was refused once.
import importlib.util
import sys

sys.modules["torch"] = None
try:
    import torch
except ImportError as error:
    print(type(error).__name__)
del sys.modules["torch"]
spec = importlib.util.find_spec("torch")
print(type(spec.loader).__name__, spec.name)
loader = importlib.util.LazyLoader(spec.loader)
spec.loader = loader
module = importlib.util.module_from_spec(spec)
sys.modules["torch"] = module
loader.exec_module(module)
import torch  # noqa: E402, F811

print(torch.ones(2).sum().item(), type(torch).__name__, torch.__spec__.loader is not None)
print(type(torch.__loader__).__name__)
