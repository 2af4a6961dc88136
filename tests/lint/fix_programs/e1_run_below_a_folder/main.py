import runpy
from pathlib import Path
for path in sorted(Path("src").rglob("*.py")):
    try:
        runpy.run_path(str(path))
    except AttributeError:
        print(path.name, "needs an old torch")
