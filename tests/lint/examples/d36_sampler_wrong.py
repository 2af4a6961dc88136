from torch.utils.data import DataLoader
from torch.utils.data.distributed import DistributedSampler


def fit(model, images):
    sampler = DistributedSampler(images)
    loader = DataLoader(images, batch_size=8, shuffle=True)  # BUG
    for epoch in range(10):
        sampler.set_epoch(epoch)
        for batch in loader:
            model.learn(batch)
