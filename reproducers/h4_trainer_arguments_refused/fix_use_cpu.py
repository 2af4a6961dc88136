"""H4: with use_cpu=True the CPU is meant, and it trains in bfloat16.

On a GPU of before 2020 (V100, T4, RTX 20) use fp16=True instead.

Symptom: none: four steps
Needs:   torch, transformers, accelerate, datasets; cpu; about 12 s
Run:     python broken_bf16.py; python fix_use_cpu.py
"""
import json
import sys
import tempfile

import torch

try:
    import accelerate  # noqa: F401: Trainer needs it
    import transformers
    from datasets import Dataset
    from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
except ImportError:
    print("SKIPPED transformers, accelerate or datasets is not installed")
    sys.exit(77)

if tuple(int(part) for part in transformers.__version__.split(".")[:2]) < (4, 41):
    print("SKIPPED transformers is older than 4.41, which calls it evaluation_strategy")
    sys.exit(77)

if torch.cuda.is_available():
    print("SKIPPED there is a GPU, and it may know bfloat16")
    sys.exit(77)

num_steps = 4
config = BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                    intermediate_size=16, num_labels=2)
rows = [{"input_ids": [1, 2, 3, 4], "attention_mask": [1, 1, 1, 1], "labels": n % 2}
        for n in range(8)]

if __name__ == "__main__":
    dataset = Dataset.from_list(rows)
    model = BertForSequenceClassification(config)
    with tempfile.TemporaryDirectory() as folder:
        args = TrainingArguments(folder, num_train_epochs=2, per_device_train_batch_size=4,
                                 bf16=True, use_cpu=True,  # FIX: the CPU is meant
                                 save_strategy="no", report_to=[], disable_tqdm=True)
        trainer = Trainer(model=model, args=args, train_dataset=dataset)
        trainer.train()

    healthy = trainer.state.global_step == num_steps

    print("OBSERVED", json.dumps({"healthy": healthy, "steps": trainer.state.global_step}))
    sys.exit(0 if healthy else 1)
