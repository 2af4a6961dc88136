import data

print(data.refuses())
