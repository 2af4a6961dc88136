import sys

sys.stdout.buffer.write(b"\xff\xfe\xc3\x28 \x1b]0;title\x07 \x1b[31mred \x1b[2J \x9b31m \xe2\x80\xae \r\n")
sys.stderr.buffer.write(b"\xff \x1b[2J\x1b]52;c;eA==\x07\nValueError: \x1b[31m\xff red\n")
print('OBSERVED {"healthy": false, "text": "\\u001b[31m\\u202e"}')
sys.exit(1)
