"""D30: two nodes with a different --rdzv_id do not find each other.

The id is the name of the job. --rdzv_id=$RANDOM in a start script gives each node a different
name, so each waits for a second node under its own name.

Symptom: RendezvousTimeoutError, although both nodes are up and reach the endpoint
Needs:   torch; cpu, linux; about 12 s
Run:     python trap_id_by_node.py
"""
import json
import multiprocessing
import os
import socket
import sys
import tempfile

try:
    from torch.distributed.run import main  # the same as torchrun; from torch 1.9 on
except ImportError:
    print("SKIPPED torch.distributed.run is not installed")
    sys.exit(77)

node_ids = ["29017", "4611"]  # BUG: --rdzv_id=$RANDOM on each node
patience = 3
train = """
import os, sys
open(sys.argv[1] + "/rank " + os.environ["RANK"], "w")
"""


def torchrun(node_id, endpoint, folder, timeout):
    main(["--nnodes=2", "--nproc_per_node=1", "--rdzv_backend=c10d", "--rdzv_endpoint=" + endpoint,
          "--rdzv_id=" + node_id, f"--rdzv_conf=join_timeout={timeout}", folder + "/train.py",
          folder])


if __name__ == "__main__":
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        endpoint = "localhost:%d" % unused.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/train.py", "w") as script:
            script.write(train)
        # Their errors come later: two tracebacks at once would stand between each other's lines.
        others = [multiprocessing.get_context("fork").Process(
            target=torchrun, args=(node_id, endpoint, folder, patience + 3))
            for node_id in node_ids[1:]]
        for node in others:
            node.start()
        torchrun(node_ids[0], endpoint, folder, patience)
        for node in others:
            node.join()
        ranks = sorted(name for name in os.listdir(folder) if name.startswith("rank"))

    healthy = ranks == ["rank 0", "rank 1"]
    print("OBSERVED", json.dumps({"healthy": healthy, "started": ranks}))
    sys.exit(0 if healthy else 1)
