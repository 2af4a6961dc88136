"""DP23: a parser returns None for text that it cannot read, and the next line uses the result.

`parse` is in place of RDKit's MolFromSmiles, which also returns None and prints a warning.

Symptom: AttributeError: 'NoneType' object has no attribute 'GetAtoms'
Needs:   torch; cpu; about 2 s
Run:     python broken_parser_none.py; python fixed.py
"""
import json
import sys

import torch
from torch.utils.data import DataLoader, Dataset

smiles = ["CCO", "CC", "C1CC(", "CCC"]


class Molecule:
    def __init__(self, text):
        self.text = text

    def GetAtoms(self):
        return [ord(letter) for letter in self.text]


def parse(text):
    return Molecule(text) if text.isalpha() else None


class Molecules(Dataset):
    def __len__(self):
        return len(smiles)

    def __getitem__(self, index):
        return torch.tensor(len(parse(smiles[index]).GetAtoms()))  # BUG: None for "C1CC("


if __name__ == "__main__":
    batches = list(DataLoader(Molecules(), batch_size=2))

    sizes = torch.cat(batches).tolist()
    healthy = sizes == [3, 2, 3]
    print("OBSERVED", json.dumps({"healthy": healthy, "sizes": sizes}))
    sys.exit(0 if healthy else 1)
