"""S9: the label map is written by hand for ids 1 to 3, and the file has 1, 4 and 7.

Ids of categories in a COCO file need not be consecutive. The dataset raises for the first
annotation with a different id, in a worker.

Symptom: KeyError: Caught KeyError in DataLoader worker process 0. [...] KeyError: 4
Needs:   torch; cpu; about 4 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

categories = [{"id": 7, "name": "cat"}, {"id": 1, "name": "car"}, {"id": 4, "name": "dog"}]
annotations = [{"category_id": [1, 4, 7][number % 3]} for number in range(12)]


class Objects(Dataset):
    def __init__(self):
        self.label_of = {1: 0, 2: 1, 3: 2}  # BUG: the file has 1, 4 and 7
        self.id_of = {label: id for id, label in self.label_of.items()}

    def __len__(self):
        return len(annotations)

    def __getitem__(self, index):
        category = annotations[index]["category_id"]
        return torch.eye(8)[category], self.label_of[category]


if __name__ == "__main__":
    torch.manual_seed(0)
    dataset = Objects()
    loader = DataLoader(dataset, batch_size=4, num_workers=1)
    batches = [batch for _ in range(5) for batch in loader]
    model = nn.Linear(8, len(categories))
    optimizer = torch.optim.SGD(model.parameters(), lr=2.0)
    for x, labels in batches:
        loss = nn.functional.cross_entropy(model(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    seen = sorted(set(labels.tolist()))
    results = [dataset.id_of[label] for label in model(torch.eye(8)[[1, 4, 7]]).argmax(1).tolist()]
    healthy = len(batches) == 15 and seen == [0, 1, 2] and results == [1, 4, 7]
    print("OBSERVED", json.dumps({"healthy": healthy, "labels": seen, "result_ids": results}))
    sys.exit(0 if healthy else 1)
