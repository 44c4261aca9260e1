"""Switches a recorder of a program off and on: it is stopped, and the agent's flag is cleared; or it goes on.

try-record does that from outside for blocks of 50 steps; record_worker from inside, between two steps, for short blocks.
"""
import contextlib
import mmap
import os
import signal
import struct
import time

FLAG = 8  # where `recording` is in the agent's memory (src/wire/segment.h)


def control_of(pid):
    """The memory in which a recorder tells the agent what it wants; None: there is none yet."""
    for fd in os.listdir(f"/proc/{pid}/fd"):
        path = f"/proc/{pid}/fd/{fd}"
        with contextlib.suppress(OSError):
            if os.readlink(path).startswith("/memfd:tactus-agent-control"):
                with open(path, "r+b") as file:
                    return mmap.mmap(file.fileno(), 0)
    return None


def flag(control):
    return struct.unpack_from("=I", control, FLAG)[0]


def set_flag(control, value):
    struct.pack_into("=I", control, FLAG, value)


def has_stopped(pid):
    folder = f"/proc/{pid}/task"
    for task in os.listdir(folder):
        with open(f"{folder}/{task}/stat", encoding="utf-8") as file:
            if file.read().rsplit(")", 1)[1].split()[0] != "T":
                return False
    return True


class Switch:
    """From inside: the flag of this process, and its recorder."""

    def __init__(self, recorder):
        self.recorder, self.control = recorder, control_of(os.getpid())
        if self.control is None:
            raise OSError("the agent is not in this process")

    def set(self, is_on):
        if is_on:
            set_flag(self.control, 1)
            os.kill(self.recorder, signal.SIGCONT)
            return
        os.kill(self.recorder, signal.SIGSTOP)
        end = time.monotonic() + 1
        while not has_stopped(self.recorder) and time.monotonic() < end:
            pass
        set_flag(self.control, 0)
