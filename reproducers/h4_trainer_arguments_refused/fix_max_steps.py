"""H4: with max_steps the schedule is known, and the stream is read again as often as needed.

Two batches are in the stream, and four steps are asked for.

Symptom: none: four steps
Needs:   torch, transformers, accelerate, datasets; cpu; about 12 s
Run:     python broken_streaming.py; python fix_max_steps.py
"""
import json
import sys
import tempfile

try:
    import accelerate  # noqa: F401: Trainer needs it
    import transformers
    from datasets import IterableDataset
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


def read_rows():
    yield from rows


if __name__ == "__main__":
    dataset = IterableDataset.from_generator(read_rows)
    model = BertForSequenceClassification(config)
    with tempfile.TemporaryDirectory() as folder:
        args = TrainingArguments(folder, per_device_train_batch_size=4, save_strategy="no",
                                 max_steps=num_steps,  # FIX: a number of steps
                                 use_cpu=True, report_to=[], disable_tqdm=True)
        trainer = Trainer(model=model, args=args, train_dataset=dataset)
        trainer.train()

    healthy = trainer.state.global_step == num_steps

    print("OBSERVED", json.dumps({"healthy": healthy, "steps": trainer.state.global_step}))
    sys.exit(0 if healthy else 1)
