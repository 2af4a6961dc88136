from torch.utils.data import DataLoader

from data import photos

loader = DataLoader(photos, batch_size=8, prefetch_factor=4)  # BUG
other = DataLoader(photos, num_workers=0, prefetch_factor=2)  # BUG
