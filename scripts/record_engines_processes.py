"""Processes that record-engines starts, and ends with all they started."""
import os
import select
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))


class Failed(Exception):
    pass


class Child:
    """A process in a group of its own, ended with all it started."""

    alive = []

    def __init__(self, script, *arguments, stdin=None):
        self.process = subprocess.Popen([sys.executable, "-uB", os.path.join(HERE, script), *map(str, arguments)],
                                        stdin=stdin or subprocess.DEVNULL, stdout=subprocess.PIPE, process_group=0,
                                        env=os.environ | {"RECORD_ENGINES_PARENT": str(os.getpid())})
        self.name = script
        self.pending = b""
        Child.alive.append(self)

    def line(self, seconds):
        """The next line it prints; Failed if it ends or the time is over."""
        deadline = time.monotonic() + seconds
        while b"\n" not in self.pending:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise Failed(f"{self.name} said nothing for {seconds:.0f} s")
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                raise Failed(f"{self.name} ended with status {self.process.wait()}")
            self.pending += more
        first, _, self.pending = self.pending.partition(b"\n")
        return first.decode()

    def has_exited(self, seconds):
        """Waits, but leaves the exit status: until it is taken, the number of the group cannot be another's."""
        deadline = time.monotonic() + seconds
        how = os.WEXITED | os.WNOHANG | os.WNOWAIT
        while not os.waitid(os.P_PID, self.process.pid, how):
            if time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True

    def end(self, patience_s=3):
        if self.process.returncode is None:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.has_exited(patience_s)
            os.killpg(self.process.pid, signal.SIGKILL)  # also processes that it started
            self.process.wait()
        self.process.stdout.close()
        if self in Child.alive:
            Child.alive.remove(self)
