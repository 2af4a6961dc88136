import runpy
from pathlib import Path

for path in sorted(Path().glob("*.py")):
    if path.stem != "main":
        try:
            runpy.run_path(str(path), run_name="__main__")
        except ValueError:
            print(path, "refused")
