"""DP4: Python lists padded to one length arrive transposed.

The default collate function does not stack Python lists. It takes them apart, position by
position, so a batch of lists becomes a list of columns.

Symptom: no error, and the batch is a list of columns
Needs:   torch; cpu; about 3 s
Run:     python trap_pad_lists.py; python fix_tensor_of_list.py
"""
import json
import sys

from torch.utils.data import DataLoader, Dataset

sentences = [[1, 2, 3], [6, 7, 8, 9, 10]]
longest = 5


class Sentences(Dataset):
    def __len__(self):
        return len(sentences)

    def __getitem__(self, index):
        ids = sentences[index]
        return ids + [0] * (longest - len(ids))  # BUG: still a list: collated column by column


if __name__ == "__main__":
    loader = DataLoader(Sentences(), batch_size=2)

    batch = next(iter(loader))
    rows = [list(map(int, row)) for row in batch]

    healthy = rows == [[1, 2, 3, 0, 0], [6, 7, 8, 9, 10]]
    print("OBSERVED", json.dumps({"healthy": healthy, "id_by_row_and_position": rows}))
    sys.exit(0 if healthy else 1)
