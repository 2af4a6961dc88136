"""R1: setting PYTHONHASHSEED in the training script changes nothing.

Python reads the variable when it starts. A value that the script puts into os.environ reaches only
the programs that this script starts later.

Symptom: a different class number for the same name, and a different validation set, in each run
Needs:   torch; cpu; about 1 s
Run:     python trap_pythonhashseed_in_script.py
"""
import json
import multiprocessing
import os
import random
import sys

num_classes = 20


def prepare(run):
    os.environ["PYTHONHASHSEED"] = "0"  # BUG: this Python has started already
    random.seed(0)
    labels = [f"class {number}" for number in range(num_classes)]
    class_id = {name: i for i, name in enumerate(set(labels))}
    validation = [name for name in labels if hash(name) % 2]
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
