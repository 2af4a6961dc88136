"""H1: a base model without a head computes no loss.

BertModel and AutoModel return hidden states. Their forward() has no parameter labels, so Trainer
drops the column as well, and the model could not use it.

Symptom: ValueError: The model did not return a loss ... keys: last_hidden_state,pooler_output
Needs:   torch, transformers, accelerate, datasets; cpu; about 12 s
Run:     python broken_base_model.py; python fixed.py
"""
import json
import sys
import tempfile

try:
    import accelerate  # noqa: F401: Trainer needs it
    from datasets import Dataset
    from transformers import BertConfig, BertModel, Trainer, TrainingArguments
except ImportError:
    print("SKIPPED transformers, accelerate or datasets is not installed")
    sys.exit(77)

num_steps = 2
config = BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                    intermediate_size=16, num_labels=2)

if __name__ == "__main__":
    rows = [{"input_ids": [1, 2, 3, 4], "attention_mask": [1, 1, 1, 1], "labels": n % 2}
            for n in range(8)]
    dataset = Dataset.from_list(rows)
    model = BertModel(config)  # BUG: no head, no loss
    with tempfile.TemporaryDirectory() as folder:
        args = TrainingArguments(folder, max_steps=num_steps, per_device_train_batch_size=4,
                                 save_strategy="no", report_to=[], disable_tqdm=True)
        trainer = Trainer(model=model, args=args, train_dataset=dataset)
        loss = trainer.train().training_loss

    healthy = trainer.state.global_step == num_steps and loss > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": trainer.state.global_step}))
    sys.exit(0 if healthy else 1)
