"""D39: torchrun with --nnodes=2, one --rdzv_endpoint and one --rdzv_id on two nodes.

Both launchers meet at the endpoint, and make one world of 4 processes.

Symptom: none: 4 processes say world size 4, and each sample is seen once
Needs:   torch; cpu, linux; about 8 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
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

train = """
import json, os, sys
rank, world_size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
nodes = int(os.environ["SLURM_NNODES"])
alone = world_size < nodes * int(os.environ["LOCAL_WORLD_SIZE"])
samples = list(range(8))[rank::world_size]
with open(sys.argv[1] + "/" + str(os.getpid()), "w") as file:
    json.dump([world_size, alone, samples], file)
"""


def start_node(endpoint, folder):
    os.environ["SLURM_NNODES"] = "2"
    options = ["--nnodes=2", "--rdzv_id=job", "--rdzv_endpoint=" + endpoint]  # FIX
    main([*options, "--rdzv_backend=c10d", "--nproc_per_node=2", folder + "/train.py", folder])


if __name__ == "__main__":
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        endpoint = "localhost:%d" % unused.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/train.py", "w") as script:
            script.write(train)
        nodes = [multiprocessing.get_context("fork").Process(
            target=start_node, args=(endpoint, folder)) for _ in range(2)]
        for node in nodes:
            node.start()
        for node in nodes:
            node.join()
        seen = [json.load(open(os.path.join(folder, name))) for name in os.listdir(folder)
                if name.isdigit()]

    world_sizes = [size for size, _, _ in seen]
    alone = sum(said for _, said, _ in seen)
    times_seen = [sum(samples.count(i) for _, _, samples in seen) for i in range(8)]
    healthy = world_sizes == [4] * 4 and alone == 0 and times_seen == [1] * 8
    print("OBSERVED", json.dumps({"healthy": healthy, "world_sizes": world_sizes,
                                  "processes_that_say_alone": alone,
                                  "times_seen_by_sample": times_seen}))
    sys.exit(0 if healthy else 1)
