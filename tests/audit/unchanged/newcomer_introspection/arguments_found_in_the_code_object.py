# Programs choose an argument by looking it up in __code__.co_varnames or __defaults__ of torch's functions.
# needs: torch>=1.13
import torch
import torch.nn.functional as F

torch.manual_seed(0)
torch.set_num_threads(1)


class Own:
    pass


torch.save({"own": Own()}, "own.pt")
kw = {"weights_only": False} if "weights_only" in torch.load.__code__.co_varnames else {}
print(sorted(kw), type(torch.load("own.pt", **kw)["own"]).__name__)
print(F.cross_entropy.__defaults__, F.cross_entropy.__kwdefaults__)
print("foreach" in torch.nn.utils.clip_grad_norm_.__code__.co_varnames, torch.save.__code__.co_argcount)
