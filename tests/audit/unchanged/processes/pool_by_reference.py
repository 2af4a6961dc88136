# A spawned pool gets functions of torch, which it finds by their names.
import torch
import torch.multiprocessing as mp
import torch.nn.functional as F

if __name__ == "__main__":
    torch.save(torch.ones(2), "a.pt")
    with mp.get_context("spawn").Pool(1) as pool:
        print(pool.apply(F.mse_loss, (torch.ones(2), torch.zeros(2))).item())
        print(pool.apply(torch.load, ("a.pt",)).tolist())
        print(pool.apply(torch.nn.utils.clip_grad_norm_, ([torch.nn.Parameter(torch.ones(1))], 1.0)))
