"""DP4: a list of tensors keeps a different number of boxes per image.

A collate function of your own receives the list of samples. It can stack what has the same shape
and keep everything else in a list.

Symptom: none: 2, 0 and 3 boxes arrive
Needs:   torch; cpu; about 3 s
Run:     python fix_list_of_tensors.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

boxes_in_image = [2, 0, 3]


class Detections(Dataset):
    def __len__(self):
        return len(boxes_in_image)

    def __getitem__(self, index):
        return torch.ones(3, 8, 8), torch.ones(boxes_in_image[index], 4)


def keep_lists(samples):
    images, boxes = zip(*samples)
    return torch.stack(images), list(boxes)  # FIX: stack what is equal, leave the rest in a list


if __name__ == "__main__":
    loader = DataLoader(Detections(), batch_size=3, num_workers=1, collate_fn=keep_lists)

    images, boxes = next(iter(loader))
    shapes = [list(b.shape) for b in boxes]

    healthy = shapes == [[2, 4], [0, 4], [3, 4]] and list(images.shape) == [3, 3, 8, 8]
    print("OBSERVED", json.dumps({"healthy": healthy, "box_shapes": shapes}))
    sys.exit(0 if healthy else 1)
