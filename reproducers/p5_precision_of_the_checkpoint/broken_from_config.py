"""P5: a model from scratch, with the config of a checkpoint in bfloat16.

From transformers 4.49 on, from_config() reads the dtype in the config, although no weights are
loaded.

Symptom: 2657 weights have a gradient, 550 of them move
Needs:   torch, transformers; cpu; about 8 s
Run:     python broken_from_config.py; python fix_float.py
"""
import json
import sys
import tempfile

import torch

try:
    from transformers import AutoModelForSequenceClassification as AutoModel
    from transformers import AutoConfig, BertConfig, BertForSequenceClassification
except ImportError:
    print("SKIPPED transformers is not installed")
    sys.exit(77)

num_steps = 10
config = BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                    intermediate_size=16, num_labels=2)
token_ids = torch.randint(50, (8, 6), generator=torch.Generator().manual_seed(0))
labels = torch.arange(8) % 2


if __name__ == "__main__":
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        BertForSequenceClassification(config).to(torch.bfloat16).save_pretrained(folder)
        settings = AutoConfig.from_pretrained(folder)
        model = AutoModel.from_config(settings)  # BUG: settings.dtype is bfloat16
    before = torch.nn.utils.parameters_to_vector(model.parameters()).detach().clone()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-5)
    model.train()
    for _ in range(num_steps):
        loss = model(input_ids=token_ids, labels=labels).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    learning = torch.nn.utils.parameters_to_vector([p.grad for p in model.parameters()]) != 0
    after = torch.nn.utils.parameters_to_vector(model.parameters())
    moved = (after != before)[learning].sum().item()

    healthy = moved == learning.sum().item() > 0

    print("OBSERVED", json.dumps({"healthy": healthy, "dtype": str(model.dtype),
                                  "weights": learning.sum().item(), "moved": moved}))
    sys.exit(0 if healthy else 1)
