import sys
exec(open('driver').read())
