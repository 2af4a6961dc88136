"""Q4: a worker's UnicodeDecodeError, which older versions hide behind "exactly 5 arguments".

A label file is not in UTF-8. The main process builds the worker's exception again from its message
alone. A UnicodeDecodeError needs five arguments, so older versions fail there and hide the cause.

Symptom: Caught UnicodeDecodeError in DataLoader worker process 0.
         (torch 1.9: TypeError: function takes exactly 5 arguments (1 given))
Needs:   torch; cpu; about 2 s
Run:     python broken_decode.py; python fix_decode.py
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
        with open(self.files[index], encoding="utf-8") as file:  # BUG: one file is in Latin-1
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
