# A dataset of the datasets library is mapped, formatted for torch, shuffled and read by a loader with a worker.
# needs: datasets
import os
import warnings

warnings.simplefilter("ignore")
os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_DATASETS_CACHE"] = os.path.abspath("cache")
import datasets
import torch
from torch import nn
from torch.utils.data import DataLoader

datasets.disable_progress_bars()
datasets.disable_caching()


def double(row):
    row["x"] = row["x"] * 2
    return row


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    ds = datasets.Dataset.from_dict({"x": [1.0, 2.0, 3.0, 4.0], "name": list("abcd")}).map(double)
    ds = ds.with_format("torch", columns=["x"]).shuffle(seed=1)
    net = nn.Linear(1, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    for workers in (0, 1):
        for b in DataLoader(ds, batch_size=2, num_workers=workers):
            opt.zero_grad()
            net(b["x"].unsqueeze(1)).sum().backward()
            opt.step()
            print(workers, b, net.weight.item().hex())
    print(ds.features, ds.num_rows, type(ds[0]["x"]).__name__)


if __name__ == "__main__":
    main()
