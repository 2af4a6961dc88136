"""R1: PYTHONHASHSEED in the environment of the new process makes hashes equal in all runs.

The variable is set before Python starts, as by `PYTHONHASHSEED=0 python train.py` in a shell.

Symptom: none: the class numbers and the validation set of two runs are equal
Needs:   torch; cpu; about 1 s
Run:     python fix_pythonhashseed.py
"""
import json
import multiprocessing
import os
import random
import sys

num_classes = 20


def prepare(run):
    random.seed(0)
    labels = [f"class {number}" for number in range(num_classes)]
    class_id = {name: i for i, name in enumerate(set(labels))}
    validation = [name for name in labels if hash(name) % 2]
    return [class_id[name] for name in labels], validation


if __name__ == "__main__":
    os.environ["PYTHONHASHSEED"] = "0"  # FIX: before the training process starts
    spawn = multiprocessing.get_context("spawn")  # a new Python for each run
    with spawn.Pool(2, maxtasksperchild=1) as pool:
        (ids, validation), (other_ids, other_validation) = pool.map(prepare, range(2), chunksize=1)

    same_ids = ids == other_ids and len(set(ids)) == num_classes
    same_split = validation == other_validation and 0 < len(validation) < num_classes
    healthy = same_ids and same_split
    print("OBSERVED", json.dumps({"healthy": healthy, "same_class_ids": same_ids,
                                  "same_split": same_split}))
    sys.exit(0 if healthy else 1)
