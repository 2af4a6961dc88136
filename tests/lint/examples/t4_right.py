import torch
from torch.utils.data import DataLoader

from data import photos

workers = 4 if torch.cuda.is_available() else 0
loader = DataLoader(photos, num_workers=workers, prefetch_factor=2 if workers else None)
other = DataLoader(photos, num_workers=0, prefetch_factor=None)
more = DataLoader(photos, num_workers=4, prefetch_factor=4)
