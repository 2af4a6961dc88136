# needs: transformers>=4.46 accelerate
# A transformers Trainer that is resumed.
import torch
from transformers import BertConfig, BertForSequenceClassification, Trainer, TrainingArguments
from transformers.trainer_callback import PrinterCallback
from transformers.utils import logging

logging.set_verbosity_error()
config = BertConfig(
    vocab_size=50,
    hidden_size=16,
    num_hidden_layers=1,
    num_attention_heads=2,
    intermediate_size=16,
    max_position_embeddings=16,
)
torch.manual_seed(0)
model = BertForSequenceClassification(config)
data = [{"input_ids": torch.randint(50, (8,)), "labels": torch.tensor(i % 2)} for i in range(16)]
arguments = TrainingArguments(
    "out",
    num_train_epochs=1,
    per_device_train_batch_size=4,
    report_to=[],
    disable_tqdm=True,
    logging_steps=2,
    seed=1,
    use_cpu=True,
    save_strategy="no",
    eval_strategy="epoch",
    gradient_accumulation_steps=2,
)
trainer = Trainer(model, arguments, train_dataset=data, eval_dataset=data[:4])
trainer.remove_callback(PrinterCallback)
print(trainer.train().training_loss.hex())
print(sum(p.sum().item() for p in model.parameters()).hex())
