import runpy
from pathlib import Path
for folder in sorted(Path("experiments").iterdir()):
    for variant in sorted(folder.iterdir()):
        try:
            runpy.run_path(str(variant / "train.py"))
        except RuntimeError:
            print(variant.name, "refused")
