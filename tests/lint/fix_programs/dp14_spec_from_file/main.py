import importlib.util

spec = importlib.util.spec_from_file_location("anything", "load.py")
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
try:
    module.load([1])
except ValueError:
    print("refused")
