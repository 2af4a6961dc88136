# A module of the program that wraps a function at import, as plug-ins do with an import hook.
import importlib.abc
import importlib.util
import sys


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "torch":
            sys.meta_path.remove(self)
            print("torch is looked for")
        return None


sys.meta_path.insert(0, Finder())
import torch  # noqa: E402

print(torch.ones(2).sum().item())
