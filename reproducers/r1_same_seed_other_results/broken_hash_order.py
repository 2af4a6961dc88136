"""R1: class numbers and a split that depend on the hash of strings differ in every run.

Python salts the hash of each string with a random number per process. The order of a set of
strings and hash(name) change with it. random.seed() has no effect on that.

Symptom: a different class number for the same name, and a different validation set, in each run
Needs:   torch; cpu; about 1 s
Run:     python broken_hash_order.py; python fix_hash_order.py
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
    class_id = {name: i for i, name in enumerate(set(labels))}  # BUG: a set has no order
    validation = [name for name in labels if hash(name) % 2]  # BUG: hash() is salted
    return [class_id[name] for name in labels], validation


if __name__ == "__main__":
    os.environ["PYTHONHASHSEED"] = "random"  # the default, whatever this shell has set
    spawn = multiprocessing.get_context("spawn")  # a new Python for each run
    with spawn.Pool(2, maxtasksperchild=1) as pool:
        (ids, validation), (other_ids, other_validation) = pool.map(prepare, range(2), chunksize=1)

    same_ids = ids == other_ids and len(set(ids)) == num_classes
    same_split = validation == other_validation and 0 < len(validation) < num_classes
    healthy = same_ids and same_split
    print("OBSERVED", json.dumps({"healthy": healthy, "same_class_ids": same_ids,
                                  "same_split": same_split}))
    sys.exit(0 if healthy else 1)
