import data

try:
    print(len(data.load([1])))
except ValueError:
    print("refused")
