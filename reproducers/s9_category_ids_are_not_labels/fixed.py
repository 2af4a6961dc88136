"""S9: category ids are mapped to labels 0 .. C - 1, and back for the results.

The map is made from the sorted ids of the categories of the training file. Gaps do not matter, and
validation uses the same map.

Symptom: none: labels 0, 1 and 2, and the results have the ids 1, 4 and 7 again
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
        ids = sorted(category["id"] for category in categories)
        self.label_of = {id: label for label, id in enumerate(ids)}  # FIX: from the file
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
