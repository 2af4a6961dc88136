# A dataset that is a MagicMock counts what was done to it.
import unittest.mock

import torch
from torch.utils.data import DataLoader

dataset = unittest.mock.MagicMock()
dataset.__len__.return_value = 4
dataset.__getitem__.side_effect = lambda index: torch.ones(1)
collate = unittest.mock.MagicMock(side_effect=torch.stack)
for batch in DataLoader(dataset, 2, collate_fn=collate):
    print(tuple(batch.shape))
print(sorted(call[0] for call in dataset.mock_calls))
print(
    collate.call_count,
    [len(call[1][0]) for call in collate.mock_calls if call[0] == ""],
    len(collate.mock_calls),
)
