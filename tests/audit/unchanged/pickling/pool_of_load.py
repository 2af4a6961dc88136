# torch.load is given to a pool, which pickles it by reference.
import multiprocessing

import torch

if __name__ == "__main__":
    for number in range(3):
        torch.save(torch.full((2,), float(number)), f"{number}.pt")
    with multiprocessing.get_context("fork").Pool(2) as pool:
        print([tensor.tolist() for tensor in pool.map(torch.load, ["0.pt", "1.pt", "2.pt"])])
