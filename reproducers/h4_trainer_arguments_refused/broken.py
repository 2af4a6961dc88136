"""H4: load_best_model_at_end, and a save strategy that differs from the eval strategy.

The best model can be loaded if each evaluated model was saved. The default saves every 500
steps, and the evaluation runs after each epoch.

Symptom: ValueError: --load_best_model_at_end requires the save and eval strategy to match
Needs:   torch, transformers, accelerate, datasets; cpu; about 12 s
Run:     python broken.py; python fixed.py; diff broken.py fixed.py
"""
import json
import sys
import tempfile

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
                                 load_best_model_at_end=True, eval_strategy="epoch",
                                 save_strategy="steps",  # BUG: saves at other times
                                 use_cpu=True, report_to=[], disable_tqdm=True)
        trainer = Trainer(model=model, args=args, train_dataset=dataset, eval_dataset=dataset)
        trainer.train()
    best = trainer.state.best_metric

    healthy = trainer.state.global_step == num_steps and best is not None

    print("OBSERVED", json.dumps({"healthy": healthy, "steps": trainer.state.global_step,
                                  "best_metric": best}))
    sys.exit(0 if healthy else 1)
