"""D10: the average of the ranks' variances is not the variance of all data.

The distance between the ranks' means is missing from it.

Symptom: running_var 1.02 where the variance of all data is 26
Needs:   torch; cpu; about 2 s
Run:     python trap_average_the_variances.py
"""
import json
import sys

import torch

num_steps = 50
half = torch.ones(32, 1)
batch_by_rank = [torch.cat([half, -half]), torch.cat([half, -half]) + 10]
mean_of_all, var_of_all = 5.0, 26.0


if __name__ == "__main__":
    norms = [torch.nn.BatchNorm1d(1), torch.nn.BatchNorm1d(1)]  # a rank needs no process here
    for norm, batch in zip(norms, batch_by_rank):
        for step in range(num_steps):
            norm(batch)

    mean = sum(norm.running_mean.item() for norm in norms) / 2
    var = sum(norm.running_var.item() for norm in norms) / 2  # BUG: the means differ

    healthy = abs(mean - mean_of_all) < 0.5 and abs(var - var_of_all) < 2.6
    print("OBSERVED", json.dumps({"healthy": healthy, "mean": round(mean, 2), "var": round(var, 2),
                                  "mean_of_all": mean_of_all, "var_of_all": var_of_all}))
    sys.exit(0 if healthy else 1)
