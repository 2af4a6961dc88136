import torch
from torch.utils.data import DataLoader, TensorDataset


class Feeder:
    def __init__(self, data, old=False):
        self.loader = DataLoader(TensorDataset(data), batch_size=2)
        self.old = old

    def batches(self):
        it = iter(self.loader)
        seen = []
        for _ in range(len(self.loader)):
            seen.append(it.next()[0] if self.old else next(it)[0])
        return seen

    def show(self):
        print([batch.tolist() for batch in self.batches()])


def main():
    feeder = Feeder(torch.arange(5))
    run = feeder.batches
    print(len(run()))


main()
