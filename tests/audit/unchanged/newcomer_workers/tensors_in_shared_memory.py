# Where the tensors of a worker's batch live: shared memory, strides, offsets, version counters, writes.
import torch
from torch.utils.data import DataLoader, Dataset

torch.set_num_threads(1)


class Data(Dataset):
    def __init__(self):
        self.shared = torch.zeros(4).share_memory_()

    def __len__(self):
        return 4

    def __getitem__(self, i):
        self.shared[i] = i + 1
        base = torch.arange(12.0).view(3, 4)
        return {"t": base.t(), "slice": base[1, 1:3], "bool": torch.tensor(True), "empty": torch.empty(0)}


def main():
    data = Data()
    for b in DataLoader(data, batch_size=2, num_workers=1, multiprocessing_context="fork"):
        for k, v in b.items():
            print(k, tuple(v.shape), v.stride(), v.is_shared(), v.storage_offset(), v._version, v.is_pinned())
        b["t"].add_(1)
    print(data.shared.tolist())
    for b in DataLoader(data, batch_size=None, num_workers=1, multiprocessing_context="fork"):
        print(b["t"].stride(), b["slice"].storage_offset(), b["t"].is_shared(), b["t"]._version)
        break


if __name__ == "__main__":
    main()
