import trainer

print(trainer.total.requires_grad)
