"""DP8: in full batches the same GroupNorm outputs zeros for every sample.

GroupNorm and LayerNorm take their statistics within one sample, over the channels of a group and
all positions. A group of one channel without positions is one value, which becomes 0.

Symptom: no error: 8 different samples get the same prediction
Needs:   torch; cpu; about 3 s
Run:     python trap_groupnorm_all_zeros.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

num_samples = 8
batch_size = 4
torch.manual_seed(0)
model = nn.Sequential(
    nn.Linear(4, 8),
    nn.GroupNorm(8, 8),  # BUG: 8 groups of one channel, each value becomes 0
    nn.ReLU(),
    nn.Linear(8, 1),
)
dataset = TensorDataset(torch.randn(num_samples, 4))
train_loader = DataLoader(dataset, batch_size)

if __name__ == "__main__":
    model.train()
    predictions = torch.cat([model(x) for (x,) in train_loader])
    largest = model[1](model[0](dataset.tensors[0])).abs().max().item()
    on_images = nn.GroupNorm(8, 8)(torch.randn(4, 8, 5, 5)).abs().max().item()  # 25 values each

    distinct = len({round(value, 3) for value in predictions.flatten().tolist()})
    healthy = distinct == num_samples
    print("OBSERVED", json.dumps({"healthy": healthy, "distinct_predictions": distinct,
                                  "largest_output_of_groupnorm": round(largest, 3),
                                  "largest_output_on_feature_maps": round(on_images, 3)}))
    sys.exit(0 if healthy else 1)
