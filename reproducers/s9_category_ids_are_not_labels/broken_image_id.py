"""S9: a tensor as image_id equals no id of the file when it is a key.

A tensor is looked up by its identity, not by its number, so no result belongs to an image of the
file, and pycocotools refuses all of them.

Symptom: AssertionError: Results do not correspond to current coco set
Needs:   torch; cpu; about 2 s
Run:     python broken_image_id.py; python fix_image_id.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

images = [{"id": number, "width": 8, "height": 8} for number in range(4)]


class Objects(Dataset):
    def __len__(self):
        return len(images)

    def __getitem__(self, index):
        target = {"boxes": torch.tensor([[1.0, 1.0, 5.0, 5.0]]), "labels": torch.tensor([1])}
        target["image_id"] = torch.tensor([index])  # BUG: as a key, equal to nothing
        return torch.zeros(3, 8, 8), target


if __name__ == "__main__":
    loader = DataLoader(Objects(), batch_size=2, collate_fn=lambda batch: tuple(zip(*batch)))
    results = {}
    for inputs, targets in loader:
        outputs = [{"boxes": target["boxes"]} for target in targets]  # as from a perfect detector
        results.update({target["image_id"]: output for target, output in zip(targets, outputs)})

    known = set(results) & {image["id"] for image in images}  # what COCO.loadRes asserts
    healthy = len(results) == len(images) and len(known) == len(images)
    print("OBSERVED", json.dumps({"healthy": healthy, "results": len(results),
                                  "with_a_known_image_id": len(known)}))
    sys.exit(0 if healthy else 1)
