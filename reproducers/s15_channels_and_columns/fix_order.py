"""S15: both files are read by the names of their columns.

The list of names belongs to the model, so it is saved with the weights.

Symptom: none: the error in the test is that in training
Needs:   torch; cpu; about 4 s
Run:     python fix_order.py
"""
import csv
import json
import os
import sys
import tempfile

import torch
from torch import nn

torch.set_num_threads(1)
columns = ["area", "rooms", "age", "price"]


def read_table(path):
    with open(path, newline="") as file:
        rows = [[row[name] for name in columns] for row in csv.DictReader(file)]  # FIX: by name
    return torch.tensor([[float(value) for value in row] for row in rows])


def write_table(path, header, size):
    area, rooms, age = torch.rand(3, size)
    values = {"area": area, "rooms": rooms, "age": age, "price": 3 * area + rooms - 2 * age}
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        writer.writerows(zip(*(values[name].tolist() for name in header)))


if __name__ == "__main__":
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        train_path, test_path = os.path.join(folder, "train.csv"), os.path.join(folder, "test.csv")
        write_table(train_path, ["area", "rooms", "age", "price"], 200)
        write_table(test_path, ["age", "area", "rooms", "price"], 100)
        train, test = read_table(train_path), read_table(test_path)

    model = nn.Linear(3, 1)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
    for step in range(500):
        optimizer.zero_grad()
        nn.functional.mse_loss(model(train[:, :3]), train[:, 3:]).backward()
        optimizer.step()
    errors = [(model(part[:, :3]) - part[:, 3:]).abs().mean().item() for part in (train, test)]

    healthy = max(errors) < 0.1
    print("OBSERVED", json.dumps({"healthy": healthy, "error_in_training": round(errors[0], 3),
                                  "error_in_test": round(errors[1], 3)}))
    sys.exit(0 if healthy else 1)
