"""S14: series that are shorter than a window drop out without a message.

range() of a negative number is empty, so a short series gives no window. Nobody counts the series.

Symptom: no error: only 2 of 4 series are in the training set
Needs:   torch; cpu; about 3 s
Run:     python broken_short_series.py
"""
import json
import sys

import torch

window = 30


if __name__ == "__main__":
    series = {"a": torch.ones(60), "b": torch.ones(20), "c": torch.ones(45), "d": torch.ones(12)}
    windows = []
    for name, values in series.items():
        for start in range(len(values) - window + 1):  # BUG: empty for a short series
            windows.append((name, values[start:start + window]))
    used = sorted({name for name, _ in windows})

    healthy = used == sorted(series)
    print("OBSERVED", json.dumps({"healthy": healthy, "series": len(series),
                                  "series_used": len(used)}))
    sys.exit(0 if healthy else 1)
