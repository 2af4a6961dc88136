# needs: transformers>=4.46
# Classes and functions of transformers are replaced, then one of its models is traced and trained.
import torch
import torch.nn.functional as F
from transformers import LlamaConfig, LlamaForCausalLM
from transformers.models.llama import modeling_llama

real = F.cross_entropy
calls = []


def fused(*args, **kwargs):
    calls.append("loss")
    return real(*args, **kwargs)


class Norm(modeling_llama.LlamaRMSNorm):
    def forward(self, x):
        calls.append("norm")
        return super().forward(x)


F.cross_entropy = torch.nn.functional.cross_entropy = fused
modeling_llama.LlamaRMSNorm = Norm
torch.manual_seed(0)
config = LlamaConfig(
    vocab_size=32,
    hidden_size=16,
    intermediate_size=16,
    num_hidden_layers=1,
    num_attention_heads=2,
    use_cache=False,
)
model = LlamaForCausalLM(config)
model.model.norm.register_forward_hook(lambda module, inputs, output: None)
ids = torch.arange(8).reshape(1, 8)
torch.jit.script(torch.nn.ReLU())
loss = model(input_ids=ids, labels=ids).loss
Norm.forward = lambda self, x: x
torch.jit.trace(torch.nn.ReLU(), torch.ones(1))
loss = model(input_ids=ids, labels=ids).loss
print(loss.item().hex(), calls)
