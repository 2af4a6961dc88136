import os

def load():
    return __import__(os.environ['NET'], fromlist=['Net']).Net
