"""H1: with the label column named labels, the model computes the loss.

labels is a parameter of forward() of most Hugging Face models with a head, so Trainer keeps the
column. The data collator turns a column named label into labels.

Symptom: none: two steps, with a loss near ln(2)
Needs:   torch, transformers, accelerate, datasets; cpu; about 12 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
import tempfile

try:
    import accelerate  # noqa: F401: Trainer needs it
    from datasets import Dataset
    from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
except ImportError:
    print("SKIPPED transformers, accelerate or datasets is not installed")
    sys.exit(77)

num_steps = 2
config = BertConfig(vocab_size=50, hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
                    intermediate_size=16, num_labels=2)

if __name__ == "__main__":
    rows = [{"input_ids": [1, 2, 3, 4], "attention_mask": [1, 1, 1, 1], "stars": n % 2}
            for n in range(8)]
    dataset = Dataset.from_list(rows).rename_column("stars", "labels")  # FIX: as in forward()
    model = BertForSequenceClassification(config)
    with tempfile.TemporaryDirectory() as folder:
        args = TrainingArguments(folder, max_steps=num_steps, per_device_train_batch_size=4,
                                 save_strategy="no", report_to=[], disable_tqdm=True)
        trainer = Trainer(model=model, args=args, train_dataset=dataset)
        loss = trainer.train().training_loss

    healthy = trainer.state.global_step == num_steps and loss > 0
    print("OBSERVED", json.dumps({"healthy": healthy, "steps": trainer.state.global_step}))
    sys.exit(0 if healthy else 1)
