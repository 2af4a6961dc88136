# Remote calls of functions of torch, which are pickled by reference.
import os
import tempfile

import torch
import torch.distributed.rpc as rpc
import torch.nn.functional as F

os.environ["TP_SOCKET_IFNAME"] = "lo"
options = rpc.TensorPipeRpcBackendOptions(
    init_method="file://" + tempfile.mktemp(), _transports=["uv"], _channels=["basic"]
)
rpc.init_rpc("alone", rank=0, world_size=1, rpc_backend_options=options)
print(rpc.rpc_sync("alone", F.mse_loss, (torch.ones(2), torch.zeros(2))).item())
print(rpc.rpc_async("alone", torch.add, (torch.ones(1), 1)).wait().item())
remote = rpc.remote("alone", torch.nn.Linear, (2, 1))
print(tuple(remote.rpc_sync().forward(torch.ones(1, 2)).shape))
rpc.shutdown()
