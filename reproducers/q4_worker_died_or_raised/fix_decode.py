"""Q4: label files that are opened with the encoding they have.

`file -i coffee.txt` names the encoding, here Latin-1.

Symptom: none: both labels are read
Needs:   torch; cpu; about 2 s
Run:     python fix_decode.py
"""
import json
import os
import sys
import tempfile

from torch.utils.data import DataLoader, Dataset


class Labels(Dataset):
    def __init__(self, files):
        self.files = files

    def __len__(self):
        return len(self.files)

    def __getitem__(self, index):
        with open(self.files[index], encoding="latin-1") as file:  # FIX
            return file.read()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        files = [os.path.join(folder, name) for name in ("tea.txt", "coffee.txt")]
        for path, text in zip(files, ("tea", "café")):
            with open(path, "w", encoding="latin-1") as file:
                file.write(text)
        seen = [batch[0] for batch in DataLoader(Labels(files), num_workers=1)]

    healthy = seen == ["tea", "café"]
    print("OBSERVED", json.dumps({"healthy": healthy, "seen": seen}))
    sys.exit(0 if healthy else 1)
