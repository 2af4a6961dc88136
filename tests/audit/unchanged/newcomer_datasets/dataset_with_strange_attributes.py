# Datasets and samplers whose attributes raise, whose __len__ counts and whose __class__ lies.
import torch
from torch.utils.data import ConcatDataset, DataLoader, Subset, TensorDataset, random_split

torch.manual_seed(0)
torch.set_num_threads(1)
log = []


class Touchy:
    def __getattr__(self, name):
        log.append(name)
        raise SystemExit("touched " + name) if name.startswith("rng") else AttributeError(name)

    def __len__(self):
        log.append("len")
        return 4

    def __getitem__(self, i):
        log.append(i)
        return i

    @property
    def generator(self):
        log.append("generator!")
        raise RuntimeError("do not look")

    @property
    def transform(self):
        log.append("transform!")
        raise KeyboardInterrupt


class Liar(Touchy):
    @property
    def __class__(self):
        log.append("class")
        return TensorDataset


for cls in (Touchy, Liar):
    log.clear()
    loader = DataLoader(cls(), batch_size=2, shuffle=True)
    print(log)
    log.clear()
    for _ in range(2):
        print(list(loader), log)
        log.clear()
parts = random_split(TensorDataset(torch.arange(6)), [4, 2])
both = ConcatDataset([parts[1], Subset(parts[0], [2, 0])])
print([b[0].tolist() for b in DataLoader(both, batch_size=3)])
