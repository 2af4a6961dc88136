# Exceptions raised in a worker: their types, messages and printed tracebacks in the main process.
import gc
import re

import torch
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)


class Two(Exception):
    def __init__(self, a, b):
        super().__init__(a, b)


class Data(Dataset):
    def __init__(self, kind):
        self.kind = kind

    def __len__(self):
        return 4

    def __getitem__(self, i):
        if i == 2:
            raise self.kind
        return i


def main():
    for kind in (KeyError("missing"), Two(1, 2), StopIteration(7), OSError(2, "gone")):
        seen = []
        try:
            for b in DataLoader(Data(kind), batch_size=2, num_workers=1, multiprocessing_context="fork"):
                seen.append(b.tolist())
        except Exception as e:
            text = re.sub(r'File ".*?([^/"]+)", line \d+', r"File \1", str(e))
            print(seen, type(e).__name__, len(e.args), e.__cause__, type(e.__context__).__name__)
            print(text)
        else:
            print(seen, "ended without an error")
        e = None
        gc.collect()
    for kind in (KeyError("missing"), Two(1, 2)):
        try:
            list(DataLoader(Data(kind), batch_size=2))
        except Exception as e:
            print(repr(e))


if __name__ == "__main__":
    main()
