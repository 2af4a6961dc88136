import json
import os
import socket
import sys
import time

listener = socket.socket()
listener.bind(("127.0.0.1", 0))
listener.listen()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        with open("/dev/shm/" + os.environ["HOSTILE_TOKEN"], "wb") as file:
            file.write(b"x")
        time.sleep(600)
    os._exit(0)
os.wait()
print("OBSERVED", json.dumps({"healthy": False, "port": listener.getsockname()[1]}))
sys.exit(1)
