import sys

block = b"OBSERVED {}\n" * 5000
while True:
    sys.stdout.buffer.write(block)
