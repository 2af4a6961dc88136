# needs: torch>=2.4
# Module.parameters is replaced so that an optimizer gets only what is to be trained.
import torch

model = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 2))
for parameter in model[0].parameters():
    parameter.requires_grad_(False)
real = torch.nn.Module.parameters


def trainable(self, recurse=True):
    return (p for p in real(self, recurse) if p.requires_grad)


torch.nn.Module.parameters = trainable
compiled = torch.compile(model, backend="eager")
compiled(torch.ones(1, 2))
print(sum(1 for _ in model.parameters()), torch.nn.Module.parameters is trainable)
