"""S14: short series are padded in front, and each gives at least one window.

The zeros stand for a time before the series. A model that must not learn from them needs a mask.

Symptom: none: all 4 series are in the training set
Needs:   torch; cpu; about 3 s
Run:     python fix_short_series.py
"""
import json
import sys

import torch

window = 30


if __name__ == "__main__":
    series = {"a": torch.ones(60), "b": torch.ones(20), "c": torch.ones(45), "d": torch.ones(12)}
    windows = []
    for name, values in series.items():
        values = torch.nn.functional.pad(values, (max(0, window - len(values)), 0))  # FIX
        for start in range(len(values) - window + 1):
            windows.append((name, values[start:start + window]))
    used = sorted({name for name, _ in windows})

    healthy = used == sorted(series)
    print("OBSERVED", json.dumps({"healthy": healthy, "series": len(series),
                                  "series_used": len(used)}))
    sys.exit(0 if healthy else 1)
