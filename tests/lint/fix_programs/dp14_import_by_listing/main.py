import importlib
import os

for name in sorted(os.listdir()):
    if name.startswith("job_"):
        try:
            importlib.import_module(name.partition(".")[0])
        except ValueError:
            print(name, "refused")
