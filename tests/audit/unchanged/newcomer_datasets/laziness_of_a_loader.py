# Without workers a loader fetches one batch at a time: the order of sampler, dataset, collate and loop is printed.
import torch
from torch.utils.data import DataLoader, Dataset, Sampler

torch.manual_seed(0)
torch.set_num_threads(1)


class Data(Dataset):
    def __len__(self):
        print("len")
        return 5

    def __getitem__(self, i):
        print("get", i)
        return i


class Order(Sampler):
    def __init__(self):
        pass

    def __iter__(self):
        print("iter")
        try:
            for i in (4, 2, 0, 1, 3):
                print("yield", i)
                yield i
        finally:
            print("sampler closed")

    def __len__(self):
        print("sampler len")
        return 5


def collate(items):
    print("collate", items)
    return items


loader = DataLoader(Data(), batch_size=2, sampler=Order(), collate_fn=collate)
for batch in loader:
    print("loop", batch)
    if batch[0] == 0:
        break
print("after the break")
it = iter(loader)
print(next(it))
del it
print("after del")
print(len(loader))
print(list(loader))
