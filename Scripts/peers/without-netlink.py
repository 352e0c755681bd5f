"""Runs a command in which opening a netlink socket fails with EPERM, as in many sandboxes (seccomp; x86-64, arm64)."""
import ctypes
import os
import platform
import struct
import sys

SOCKET = {"x86_64": 41, "aarch64": 198}[platform.machine()]
AF_NETLINK, PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, SECCOMP_MODE_FILTER = 16, 38, 22, 2


def statement(code, value, if_true=0, if_false=0):
    return struct.pack("=HBBI", code, if_true, if_false, value)


# Load the number of the call, then its first argument, and refuse the pair.
program = b"".join([
    statement(0x20, 0), statement(0x15, SOCKET, 0, 3), statement(0x20, 16), statement(0x15, AF_NETLINK, 0, 1),
    statement(0x06, 0x00050000 | 1), statement(0x06, 0x7FFF0000),
])


class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("program", ctypes.c_void_p)]


libc = ctypes.CDLL(None, use_errno=True)
memory = ctypes.create_string_buffer(program)
rules = Filter(len(program) // 8, ctypes.addressof(memory))
if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(rules), 0, 0):
    sys.exit("without-netlink: this system has no seccomp filters")
os.execvp(sys.argv[1], sys.argv[1:])
