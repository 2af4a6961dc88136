from batches.first import first

try:
    print(first())
except AttributeError:
    print("new torch")
