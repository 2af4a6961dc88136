"""S9: results are written with labels instead of category ids.

The evaluation compares category_id of the results with category_id of the file. Label 1 is category
4, and a result with category_id 1 counts as a car.

Symptom: a perfect model has an accuracy of 0
Needs:   torch; cpu; about 2 s
Run:     python trap_no_way_back.py; python fixed.py
"""
import json
import sys

import torch

annotations = [{"category_id": id} for id in [1, 4, 7, 4]]
label_of = {1: 0, 4: 1, 7: 2}


if __name__ == "__main__":
    labels = torch.tensor([label_of[annotation["category_id"]] for annotation in annotations])
    logits = torch.nn.functional.one_hot(labels, 3) * 10.0  # a perfect model
    results = [{"category_id": label} for label in logits.argmax(1).tolist()]  # BUG: a label

    right = [result == annotation for result, annotation in zip(results, annotations)]
    accuracy = sum(right) / len(right)
    healthy = accuracy == 1.0
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": accuracy}))
    sys.exit(0 if healthy else 1)
