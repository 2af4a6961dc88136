import ctypes
import json
import os
import sys

# A file elsewhere on the file system of the work folder, through a handle that needs no path.
libc = ctypes.CDLL(None, use_errno=True)
AT_FDCWD, MAX_HANDLE = -100, 128


class Handle(ctypes.Structure):
    _fields_ = (("bytes", ctypes.c_uint), ("type", ctypes.c_int), ("data", ctypes.c_ubyte * MAX_HANDLE))


handle, mount = Handle(bytes=MAX_HANDLE), ctypes.c_int()
victim = os.environ["HOSTILE_VICTIM"].encode()
libc.name_to_handle_at(AT_FDCWD, victim, ctypes.byref(handle), ctypes.byref(mount), 0)
file = libc.open_by_handle_at(os.open(".", os.O_RDONLY), ctypes.byref(handle), os.O_RDWR | os.O_APPEND)
if file >= 0:
    os.write(file, b"changed")
print("OBSERVED", json.dumps({"healthy": False, "opened": file >= 0}))
sys.exit(1)
