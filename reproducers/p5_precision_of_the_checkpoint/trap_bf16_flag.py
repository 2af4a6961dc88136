"""P5: bf16=True in the Trainer, and weights that are bfloat16 already.

The flag switches autocast on. It keeps float32 weights only where they were float32 before.

Symptom: SYM
Needs:   torch, transformers, accelerate; cpu; about 12 s
Run:     python trap_bf16_flag.py; python fixed.py
"""
import json
import sys
import tempfile

import torch

try:
    import accelerate  # noqa: F401: Trainer needs it
    from transformers import AutoModelForSequenceClassification as AutoModel
    from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
except ImportError:
    print("SKIPPED transformers or accelerate is not installed")
    sys.exit(77)

num_steps = 10
config = BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                    intermediate_size=16, num_labels=2)
token_ids = torch.randint(50, (8, 6), generator=torch.Generator().manual_seed(0))
rows = [{"input_ids": row, "labels": n % 2} for n, row in enumerate(token_ids.tolist())]


if __name__ == "__main__":
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        BertForSequenceClassification(config).to(torch.bfloat16).save_pretrained(folder)
        model = AutoModel.from_pretrained(folder)
        encoder = list(model.bert.encoder.parameters())
        before = torch.nn.utils.parameters_to_vector(encoder).detach().clone()
        args = TrainingArguments(folder, max_steps=num_steps, learning_rate=1e-5,
                                 lr_scheduler_type="constant", per_device_train_batch_size=8,
                                 bf16=True,  # BUG: this does not make the weights float32
                                 use_cpu=True, save_strategy="no", report_to=[])
        Trainer(model=model, args=args, train_dataset=rows).train()
    after = torch.nn.utils.parameters_to_vector(encoder).detach()
    moved = (after != before).sum().item()

    healthy = moved > 0.9 * len(before)

    print("OBSERVED", json.dumps({"healthy": healthy, "dtype": str(model.dtype),
                                  "weights": len(before), "moved": moved}))
    sys.exit(0 if healthy else 1)
