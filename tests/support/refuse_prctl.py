"""Runs a program for which the kernel refuses prctl(OPTION), by seccomp. Linux on x86_64 and arm64.

python refuse_prctl.py OPTION PROGRAM ARGUMENT...
"""

import ctypes
import os
import platform
import struct
import sys

NUMBERS = {"x86_64": 157, "aarch64": 167}  # of the system call prctl
AVAILABLE = sys.platform == "linux" and platform.machine() in NUMBERS
PR_SET_SECCOMP, SECCOMP_MODE_FILTER, PR_SET_NO_NEW_PRIVS = 22, 2, 38
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | 1  # EPERM
NUMBER_OFFSET, FIRST_ARGUMENT_OFFSET = 0, 16  # in struct seccomp_data


def refuse_prctl(option):
    """Install the filter for this process and the programs that it executes."""
    steps = [
        (LOAD, 0, 0, NUMBER_OFFSET),
        (JUMP_IF_EQUAL, 0, 3, NUMBERS[platform.machine()]),
        (LOAD, 0, 0, FIRST_ARGUMENT_OFFSET),
        (JUMP_IF_EQUAL, 0, 1, option),
        (RETURN, 0, 0, REFUSE),
        (RETURN, 0, 0, ALLOW),
    ]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    program = ctypes.create_string_buffer(struct.pack("H6xP", len(steps), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    if os.geteuid():  # without this, only root may install a filter
        libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0):
        sys.exit(f"the kernel refuses the filter: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    refuse_prctl(int(sys.argv[1]))
    os.execv(sys.argv[2], sys.argv[2:])
