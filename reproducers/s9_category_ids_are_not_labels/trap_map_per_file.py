"""S9: a map that is made for each file gives the same category different labels.

The validation file has no object of category 4, and its list of categories does not have it either.
Its map counts 0 and 1 where the map of the training file has 0 and 2.

Symptom: category 7 is label 2 in training and label 1 in validation
Needs:   torch; cpu; about 2 s
Run:     python trap_map_per_file.py; python fixed.py
"""
import json
import sys

import torch

train_ids, validation_ids = [1, 4, 7], [1, 7]


def label_map(ids):
    return {id: label for label, id in enumerate(sorted(ids))}


if __name__ == "__main__":
    in_training = label_map(train_ids)
    in_validation = label_map(validation_ids)  # BUG: use the map of the training file
    predicted = torch.tensor([in_training[id] for id in validation_ids])  # a perfect model
    expected = torch.tensor([in_validation[id] for id in validation_ids])

    accuracy = (predicted == expected).float().mean().item()
    healthy = accuracy == 1.0
    print("OBSERVED", json.dumps({"healthy": healthy, "accuracy": accuracy,
                                  "label_of_7_in_training_and_validation": [in_training[7],
                                                                            in_validation[7]]}))
    sys.exit(0 if healthy else 1)
