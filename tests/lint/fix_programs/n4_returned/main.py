from trainer import train

print(train())
