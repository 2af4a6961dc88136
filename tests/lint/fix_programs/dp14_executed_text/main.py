from pathlib import Path

for path in sorted(Path().iterdir()):
    if path.stem == "load":
        try:
            exec(path.read_text())
        except ValueError:
            print("refused")
