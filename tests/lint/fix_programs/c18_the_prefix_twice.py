import torch
key = 'module.module.fc'
state_dict = {key.lstrip('module.'): torch.ones(1)}
print(state_dict)
